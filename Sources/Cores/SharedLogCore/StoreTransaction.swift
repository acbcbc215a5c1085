/// One transaction on the store that holds a shared log: a key-value store with linearizable
/// transactions, which is etcd.
///
/// The conditions are compared, and where all of them hold the changes are made, at one moment. The
/// reads see the store right after that, whether the changes were made or not.
package struct StoreTransaction: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        case isAbsent(String)
        case isEqual(String, [UInt8])
    }

    package enum Change: Hashable, Sendable {
        /// - Parameter lease: the pair is removed when it ends; `nil`: the pair stays.
        case put(String, [UInt8], lease: StoreLease? = nil)
        case remove(StoreRange)
    }

    package struct Read: Hashable, Sendable {
        package let range: StoreRange
        /// Most pairs to return, in the order of their keys; 0: all.
        package let countMax: Int

        package init(_ range: StoreRange, countMax: Int = 0) {
            self.range = range
            self.countMax = countMax
        }
    }

    package var conditions: [Condition] = []
    package var changes: [Change] = []
    /// Read whether the changes are made or not.
    package var reads: [Read] = []
    /// Read in their place if the changes are not made.
    package var readsIfRefused: [Read] = []

    package init(
        conditions: [Condition] = [], changes: [Change] = [], reads: [Read] = [],
        readsIfRefused: [Read] = []
    ) {
        self.conditions = conditions
        self.changes = changes
        self.reads = reads
        self.readsIfRefused = readsIfRefused.isEmpty ? reads : readsIfRefused
    }

    /// A linearizable read of one key.
    static func read(_ key: String) -> Self { Self(reads: [Read(.key(key))]) }
}

/// Keys of the store, in the order of their bytes.
package struct StoreRange: Hashable, Sendable {
    package let first: String
    /// The first key behind it; `nil`: it is `first` alone.
    package let end: String?

    package static func key(_ key: String) -> Self { Self(first: key, end: nil) }

    package static func from(_ first: String, before end: String) -> Self {
        Self(first: first, end: end)
    }

    package func contains(_ key: String) -> Bool {
        guard let end else { return key == first }
        return first <= key && key < end
    }
}

/// A lease of the store, by its number. The store counts its time by its own clock.
package struct StoreLease: Hashable, Sendable {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

package struct StorePair: Hashable, Sendable {
    package let key: String
    package let value: [UInt8]

    package init(_ key: String, _ value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// One request to the store.
package enum StoreRequest: Hashable, Sendable {
    case transaction(StoreTransaction)
    case grantLease(Duration)
    case keepAlive(StoreLease)
    case revoke(StoreLease)
    /// Forget what was overwritten or removed before this revision.
    case compact(UInt64)
}

/// What the store answers.
package struct StoreAnswer: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// - Parameters:
        ///   - isExecuted: whether every condition held and the changes were made.
        ///   - pairs: of each read, in the order of the keys.
        case transaction(isExecuted: Bool, pairs: [[StorePair]])
        case lease(StoreLease)
        /// - Parameter isKnown: whether the lease exists.
        case keptAlive(isKnown: Bool)
        case revoked
        case compacted
    }

    package let content: Content
    /// The store's revision when it answered. It never decreases, unless the store is restored.
    package let revision: UInt64

    package init(_ content: Content, revision: UInt64) {
        self.content = content
        self.revision = revision
    }
}

/// Why there is no answer.
package enum StoreFailure: Error, Hashable, Sendable {
    /// The request may be executed, now or later.
    case unknown(String)
    /// The request was not executed and will not be. An earlier identical one still may.
    case refused(String)

    package var reason: String {
        switch self {
        case .unknown(let reason), .refused(let reason): reason
        }
    }
}

package typealias StoreOutcome = Result<StoreAnswer, StoreFailure>
