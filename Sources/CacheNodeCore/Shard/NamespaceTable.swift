import ByteCoding
package import CacheMemory
package import CacheModel

/// The namespaces one shard has met: name, dense number, policy. Bounded.
package struct NamespaceTable {
    private var numbers: [UInt64: Int] = [:]
    /// By number.
    private(set) var names: [[UInt8]] = []
    private var policies: [NamespacePolicy] = []
    /// By number: whether entries may be on terms, because the node loads or has loaded them.
    private var throughs: [Bool] = []
    private var configured: [Namespace: NamespacePolicy] = [:]
    private var fallback = NamespacePolicy()
    private let hasher: KeyHasher

    package init(seed: UInt64) {
        hasher = KeyHasher(seed: seed)
        _ = insert(Array(Namespace.default.name.utf8))
    }

    /// The number of the namespace of that name, `nil` for the default one; a new one is given
    /// its number now.
    ///
    /// - Returns: `nil` once there are ``ShardLimits/namespacesMax`` others.
    package mutating func number(of name: UnsafeRawBufferPointer?) -> NamespaceNumber? {
        guard let name else { return NamespaceNumber(0) }
        let hash = hasher.hash(name, room: 0)
        if let index = numbers[hash], names[index].elementsEqual(name) {
            return NamespaceNumber(UInt16(index))
        }
        if let index = names.firstIndex(where: { $0.elementsEqual(name) }) {
            return NamespaceNumber(UInt16(index))
        }
        return insert([UInt8](name))
    }

    package mutating func number(of namespace: Namespace) -> NamespaceNumber? {
        // Most invalidations are in it, and comparing costs less than hashing.
        if namespace == .default { return NamespaceNumber(0) }
        var name = namespace.name
        return name.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    /// The number of a namespace that has one.
    func known(_ namespace: Namespace) -> NamespaceNumber? {
        if namespace == .default { return NamespaceNumber(0) }
        let name = Array(namespace.name.utf8)
        let index =
            numbers[name.withUnsafeBytes { hasher.hash($0, room: 0) }].flatMap {
                names[$0] == name ? $0 : nil
            } ?? names.firstIndex(of: name)
        return index.map { NamespaceNumber(UInt16($0)) }
    }

    private mutating func insert(_ name: [UInt8]) -> NamespaceNumber? {
        guard names.count < ShardLimits.namespacesMax else { return nil }
        numbers[name.withUnsafeBytes { hasher.hash($0, room: 0) }] = names.count
        names.append(name)
        policies.append(Namespace(String(decoding: name, as: UTF8.self)).map(policy) ?? fallback)
        throughs.append(policies[policies.count - 1].readsThrough)
        return NamespaceNumber(UInt16(names.count - 1))
    }

    private func policy(of namespace: Namespace) -> NamespacePolicy {
        configured[namespace] ?? fallback
    }

    /// All of them, by number.
    var all: [Namespace] {
        names.map { Namespace(String(decoding: $0, as: UTF8.self)) ?? .default }
    }

    func name(of number: NamespaceNumber) -> String {
        String(decoding: names[Int(number.rawValue)], as: UTF8.self)
    }

    package func policy(of number: NamespaceNumber) -> NamespacePolicy {
        policies[Int(number.rawValue)]
    }

    /// The quotas among `policies`, by the numbers of their namespaces, which are given now.
    mutating func quotas(
        _ policies: [Namespace: NamespacePolicy]
    ) -> [NamespaceNumber: MemoryQuota] {
        var quotas: [NamespaceNumber: MemoryQuota] = [:]
        for (namespace, policy) in policies where policy.memory != .standard {
            if let number = number(of: namespace) { quotas[number] = policy.memory }
        }
        return quotas
    }

    /// Takes over another configuration.
    package mutating func configure(
        _ policies: [Namespace: NamespacePolicy], fallback: NamespacePolicy
    ) {
        configured = policies
        self.fallback = fallback
        self.policies = names.map { name in
            Namespace(String(decoding: name, as: UTF8.self)).map(policy) ?? fallback
        }
        // One that has lost its origin keeps the entries that came from there.
        for index in throughs.indices where self.policies[index].readsThrough {
            throughs[index] = true
        }
    }

    /// Whether the node loads values of the namespace, or holds some that it loaded.
    @inline(__always)
    func mayReadThrough(_ number: NamespaceNumber) -> Bool {
        throughs[Int(number.rawValue)]
    }

    /// An entry on terms has come back from the disk.
    mutating func noteTerms(in number: NamespaceNumber) {
        throughs[Int(number.rawValue)] = true
    }
}
