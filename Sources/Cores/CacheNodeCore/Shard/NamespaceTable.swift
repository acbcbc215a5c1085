import ByteCoding
import CacheLoading
package import CacheMemory
package import CacheModel

/// The namespaces known to one shard: name, dense number, policy. Bounded.
package struct NamespaceTable {
    private var numbers: [UInt64: Int] = [:]
    /// By number.
    private(set) var names: [[UInt8]] = []
    private var policies: [NamespacePolicy] = []
    /// By number.
    private var throughs: [Through] = []
    private var configured: [Namespace: NamespacePolicy] = [:]
    private var fallback = NamespacePolicy.unconfigured
    /// Whether the policies are those of the cluster.
    private(set) var isConfigured = false
    private let hasher: KeyHasher

    /// Properties of a namespace that a get needs before any lookup.
    struct Through {
        /// Whether entries may have terms, because the node loads or has loaded them.
        var isOn = false
        /// Whether a fresh entry is the answer of a get without other requirements.
        var servesHeldFirst = false
        /// The share of the lifetime after which a value is refreshed early; `nil`: none.
        var refreshShare: Percent?
        /// With less remaining lifetime, in nanoseconds, a value may be refreshed at random.
        var nearNanoseconds: UInt64 = 0

        mutating func take(_ policy: NamespacePolicy) {
            // A namespace that has lost its origin keeps the entries loaded from it.
            if policy.readsThrough { isOn = true }
            let origin = policy.origin
            servesHeldFirst = origin?.read != .networkOnly && origin?.read != .networkFirst
            refreshShare = origin.flatMap { $0.refreshShare > .none ? $0.refreshShare : nil }
        }
    }

    /// Stands for all namespaces without their own number: they have no entries, and nothing is
    /// ever stored under it. A read there is a miss.
    static let unnamed = NamespaceNumber(1)

    package init(seed: UInt64) {
        hasher = KeyHasher(seed: seed)
        _ = insert(Array(Namespace.default.name.utf8))
        // No namespace has this name.
        _ = insert([0xFF])
    }

    /// Number of namespaces, including the default one.
    var count: Int { names.count - 1 }

    /// Whether values of a namespace without a number would be loaded.
    var loadsUnnamed: Bool { fallback.readsThrough }

    /// The number of the namespace of that name, `nil` for the default one; a new one gets its
    /// number now.
    ///
    /// - Returns: `nil` once there are ``ShardLimits/namespacesMax`` others.
    package mutating func number(of name: UnsafeRawBufferPointer?) -> NamespaceNumber? {
        if let number = known(name) { return number }
        return name.flatMap { insert([UInt8]($0)) }
    }

    /// The number of the namespace of that name, `nil` for the default one, if it has one.
    func known(_ name: UnsafeRawBufferPointer?) -> NamespaceNumber? {
        guard let name else { return NamespaceNumber(0) }
        let hash = hasher.hash(name, room: 0)
        if let index = numbers[hash], names[index].elementsEqual(name) {
            return NamespaceNumber(UInt16(index))
        }
        let index = names.firstIndex { $0.elementsEqual(name) }
        return index.map { NamespaceNumber(UInt16($0)) }
    }

    package mutating func number(of namespace: Namespace) -> NamespaceNumber? {
        // Most invalidations are in it, and comparing is cheaper than hashing.
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
        guard count < ShardLimits.namespacesMax else { return nil }
        numbers[name.withUnsafeBytes { hasher.hash($0, room: 0) }] = names.count
        names.append(name)
        policies.append(Namespace(String(decoding: name, as: UTF8.self)).map(policy) ?? fallback)
        var through = Through()
        through.take(policies[policies.count - 1])
        throughs.append(through)
        return NamespaceNumber(UInt16(names.count - 1))
    }

    private func policy(of namespace: Namespace) -> NamespacePolicy {
        configured[namespace] ?? fallback
    }

    /// All names, by number.
    var all: [Namespace] {
        names.map { Namespace(String(decoding: $0, as: UTF8.self)) ?? .default }
    }

    func name(of number: NamespaceNumber) -> String {
        String(decoding: names[Int(number.rawValue)], as: UTF8.self)
    }

    package func policy(of number: NamespaceNumber) -> NamespacePolicy {
        policies[Int(number.rawValue)]
    }

    /// The quotas among `policies`, by the numbers of their namespaces, which are assigned now.
    mutating func quotas(
        _ policies: [Namespace: NamespacePolicy]
    ) -> [NamespaceNumber: MemoryQuota] {
        var quotas: [NamespaceNumber: MemoryQuota] = [:]
        for (namespace, policy) in policies where policy.memory != .standard {
            if let number = number(of: namespace) { quotas[number] = policy.memory }
        }
        return quotas
    }

    /// The largest share of the disk of each namespace with a bound.
    var diskShares: [NamespaceNumber: Percent] {
        var shares: [NamespaceNumber: Percent] = [:]
        for (number, policy) in policies.enumerated() where policy.diskMost < .all {
            shares[NamespaceNumber(UInt16(number))] = policy.diskMost
        }
        return shares
    }

    /// Sets another configuration. Its namespaces get numbers, so that they are served however many
    /// other names are in use.
    package mutating func configure(
        _ policies: [Namespace: NamespacePolicy], fallback: NamespacePolicy
    ) {
        isConfigured = true
        configured = policies
        self.fallback = fallback
        self.policies = names.map { name in
            Namespace(String(decoding: name, as: UTF8.self)).map(policy) ?? fallback
        }
        for index in throughs.indices { throughs[index].take(self.policies[index]) }
        for namespace in policies.keys.sorted(by: { $0.name < $1.name }) {
            _ = number(of: namespace)
        }
    }

    /// Whether the node loads values of the namespace, or holds some that it loaded.
    @inline(__always)
    func mayReadThrough(_ number: NamespaceNumber) -> Bool {
        throughs[Int(number.rawValue)].isOn
    }

    @inline(__always)
    func through(_ number: NamespaceNumber) -> Through {
        throughs[Int(number.rawValue)]
    }

    /// An entry with terms was read from the disk.
    mutating func noteTerms(in number: NamespaceNumber) {
        throughs[Int(number.rawValue)].isOn = true
    }

    /// Sets the current duration of loads.
    mutating func setLoadDuration(_ duration: Duration, in number: NamespaceNumber) {
        throughs[Int(number.rawValue)].nearNanoseconds = EarlyRefresh.nearest(duration)
    }
}

extension Namespace {
    /// The name of ``CacheModel/Namespace/default``, which a message encodes as no bytes.
    static var defaultName: UnsafeRawBufferPointer {
        let name: StaticString = "default"
        return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }

    /// The namespace that a message names: `nil` is the default one.
    init(named name: UnsafeRawBufferPointer?) {
        self = name.flatMap { Namespace(String(decoding: $0, as: UTF8.self)) } ?? .default
    }
}
