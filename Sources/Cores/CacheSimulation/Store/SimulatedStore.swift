package import SharedLogCore

/// The store of a shared log: the semantics of etcd that its publishers rely on.
///
/// Transactions are linearizable: each is executed at one moment. A revision is given to each
/// change. Leases remove their pairs when their owner says that they end. It has no time and no
/// faults: ``StoreService`` adds both. EtcdClientTests hold it against a real etcd.
package struct SimulatedStore {
    package struct Value: Equatable {
        package var bytes: [UInt8]
        package var lease: StoreLease?
    }

    package private(set) var pairs: [String: Value] = [:]
    /// The keys of all pairs, in their order.
    private var keys: [String] = []
    package private(set) var revision: UInt64 = 1
    package private(set) var leases: Set<StoreLease> = []
    private var lastLease: Int64 = 0
    /// Whether keep-alives of leases that are over are confirmed, as by a leader that hangs.
    package var confirmsFalsely = false

    package init() {}

    /// - Complexity: O(*log n* + *m*) for *n* pairs, of which *m* are read or removed.
    package mutating func execute(_ request: StoreRequest) -> StoreOutcome {
        switch request {
        case .transaction(let transaction): execute(transaction)
        case .grantLease:
            answer(.lease(grant()))
        case .keepAlive(let lease):
            answer(.keptAlive(isKnown: leases.contains(lease) || confirmsFalsely))
        case .revoke(let lease):
            end(lease)
        case .compact: answer(.compacted)
        }
    }

    package mutating func execute(_ transaction: StoreTransaction) -> StoreOutcome {
        let holds = transaction.conditions.allSatisfy { condition in
            switch condition {
            case .isAbsent(let key): pairs[key] == nil
            case .isEqual(let key, let bytes): pairs[key]?.bytes == bytes
            }
        }
        if holds {
            for case .put(_, _, let lease?) in transaction.changes where !leases.contains(lease) {
                return .failure(.refused("requested lease not found"))
            }
            for change in transaction.changes { make(change) }
            if !transaction.changes.isEmpty { revision += 1 }
        }
        let reads = holds ? transaction.reads : transaction.readsIfRefused
        return answer(.transaction(isExecuted: holds, pairs: reads.map { self.read($0) }))
    }

    private func read(_ read: StoreTransaction.Read) -> [StorePair] {
        let found = keys[indices(of: read.range)]
        let some = read.countMax == 0 ? found : found.prefix(read.countMax)
        return some.compactMap { key in pairs[key].map { StorePair(key, $0.bytes) } }
    }

    private func answer(_ content: StoreAnswer.Content) -> StoreOutcome {
        .success(StoreAnswer(content, revision: revision))
    }

    // MARK: Leases

    private mutating func grant() -> StoreLease {
        lastLease += 1
        leases.insert(StoreLease(lastLease))
        return StoreLease(lastLease)
    }

    /// The lease is over, and its pairs with it.
    @discardableResult
    package mutating func end(_ lease: StoreLease) -> StoreOutcome {
        leases.remove(lease)
        let ended = pairs.filter { $0.value.lease == lease }.map(\.key)
        for key in ended { remove(.key(key)) }
        if !ended.isEmpty { revision += 1 }
        return answer(.revoked)
    }

    /// All leases are over.
    package mutating func endLeases() { for lease in leases { end(lease) } }

    // MARK: Changes

    private mutating func make(_ change: StoreTransaction.Change) {
        switch change {
        case .put(let key, let bytes, let lease): put(key, Value(bytes: bytes, lease: lease))
        case .remove(let range): remove(range)
        }
    }

    private mutating func put(_ key: String, _ value: Value) {
        if pairs.updateValue(value, forKey: key) == nil {
            keys.insert(key, at: firstIndex(notBelow: key))
        }
    }

    private mutating func remove(_ range: StoreRange) {
        let indices = indices(of: range)
        for key in keys[indices] { pairs[key] = nil }
        keys.removeSubrange(indices)
    }

    /// Sets a value, as a person would.
    package mutating func put(_ key: String, _ text: String) {
        put(key, Value(bytes: Array(text.utf8)))
        revision += 1
    }

    package func text(_ key: String) -> String? {
        pairs[key].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func indices(of range: StoreRange) -> Range<Int> {
        let first = firstIndex(notBelow: range.first)
        guard let end = range.end else {
            return first..<(pairs[range.first] == nil ? first : first + 1)
        }
        return first..<max(first, firstIndex(notBelow: end))
    }

    private func firstIndex(notBelow key: String) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Restoring

    /// The members are made anew from this earlier state.
    ///
    /// - Parameters:
    ///   - later: the state that is lost. Numbers of its leases do not come back.
    ///   - isBumped: whether the revision goes on behind that of the lost state, as with
    ///     `etcdutl --bump-revision`.
    package func restored(after later: SimulatedStore, isBumped: Bool) -> SimulatedStore {
        var restored = self
        restored.lastLease = later.lastLease
        restored.confirmsFalsely = false
        if isBumped { restored.revision = later.revision + 1_000_000_000 }
        return restored
    }
}
