import ByteCoding
package import CacheModel

/// An operation's name and a hash of its contents: 24 bytes, whatever it covers.
package struct OperationImprint: Hashable, Sendable {
    package let name: OperationID
    /// Of its strength and its scopes in their order: ``ByteCoding/StableHash``. It does not
    /// withstand an attacker, which could choose two contents with one hash – but does not know the
    /// name.
    private let contents: UInt64

    /// - Complexity: O(bytes of the scopes); O(1) for an operation without a name.
    package init(
        _ name: OperationID, _ strength: InvalidationRecord.Strength, _ scopes: ScopeList
    ) {
        self.name = name
        guard name != .none else {
            contents = 0
            return
        }
        // Mixed, so that no strength and kind of scope have the hash of two others.
        var hash = StableHash.mix(UInt64(strength.rawValue) + 1)
        scopes.forEachItem { item in
            switch item {
            case .key(let key, let namespace):
                hash = Self.mixed(hash, 1, namespace)
                hash = StableHash.hash(key, seed: hash)
            case .other(let scope): hash = Self.mixed(hash, scope)
            }
        }
        contents = hash
    }

    /// The operation of a record in the log.
    package init(_ record: InvalidationRecord) {
        self.init(record.operation, record.strength, record.scopes)
    }

    private static func mixed(_ hash: UInt64, _ scope: Scope) -> UInt64 {
        var hash = hash
        switch scope.target {
        case .key(let key, let namespace):
            hash = StableHash.hash(key.bytes, seed: mixed(hash, 1, namespace))
        case .prefix(let bytes, let namespace):
            hash = StableHash.hash(bytes, seed: mixed(hash, 2, namespace))
        case .tag(let tag, let namespace):
            hash = StableHash.hash(tag.bytes, seed: mixed(hash, 3, namespace))
        case .namespace(let namespace): hash = mixed(hash, 4, namespace)
        case .everything: hash = StableHash.mix(hash ^ 5)
        }
        if let version = scope.minimumVersion { hash = StableHash.mix(hash ^ version.rawValue) }
        if let range = scope.hashRange {
            hash = StableHash.mix(hash ^ range.lowerBound)
            hash = StableHash.mix(hash ^ range.upperBound)
        }
        if let membership = scope.membership {
            hash = StableHash.mix(hash ^ (membership.isSettled ? 1 : 2))
        }
        return hash
    }

    private static func mixed(_ hash: UInt64, _ kind: UInt64, _ namespace: Namespace) -> UInt64 {
        var name = namespace.name
        return name.withUTF8 {
            StableHash.hash(UnsafeRawBufferPointer($0), seed: StableHash.mix(hash ^ kind))
        }
    }
}
