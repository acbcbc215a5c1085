import CacheModel

/// The load leases of one shard: which one of each key may still store.
struct LoadLeases {
    /// Counts the events of loads here, finer than the world's steps.
    private var order = 0
    /// The newest lease of each key, given with a token or to a load of the shard, and when.
    private var newest: [Int: (lease: UInt64, step: Int, order: Int)] = [:]
    /// Leases that the step of the newest one replaced, and when they were given. The answers and
    /// loads of one turn are not reported in the order in which they happened.
    private var earlier: [Int: [(lease: UInt64, step: Int)]] = [:]
    /// When each key was last stored, and when an applied record last named it.
    private var storedOrders: [Int: (order: Int, step: Int)] = [:]
    private var namedOrders: [Int: Int] = [:]

    mutating func give(_ lease: UInt64, for item: Int, step: Int, keepsEarlier: Bool) {
        order += 1
        if keepsEarlier, let old = newest[item] {
            if old.step != step { earlier[item] = [] }
            earlier[item, default: []].append((old.lease, old.step))
        }
        newest[item] = (lease, step, order)
    }

    /// A record was applied.
    mutating func name(_ record: SealedRecord) {
        order += 1
        for case .key(let key, let namespace) in record.record.scopes.map(\.target) {
            guard let item = Catalog.index(of: key, in: namespace) else { continue }
            namedOrders[item] = order
        }
    }

    /// Voids all leases of a key that is stored.
    mutating func void(_ item: Int, step: Int) {
        order += 1
        storedOrders[item] = (order, step)
    }

    /// Whether the load in flight began before the key was invalidated here.
    func isOutdated(_ item: Int) -> Bool {
        guard let given = newest[item]?.order else { return true }
        return given < namedOrders[item] ?? 0
    }

    /// Whether a lease may still store: it is the newest of its key, and the key was neither stored
    /// nor invalidated since.
    ///
    /// - Parameter loads: whether the shard loads values itself.
    func holds(_ lease: UInt64, _ item: Int, at step: Int, loads: Bool) -> Bool {
        guard let given = newest[item] else { return false }
        let isEarlier =
            earlier[item]?.contains {
                $0.lease == lease && (given.step == step || $0.step == given.step)
            } ?? false
        guard given.lease == lease || isEarlier else { return false }
        guard given.order > namedOrders[item] ?? 0 else { return false }
        guard let stored = storedOrders[item] else { return true }
        return given.order > stored.order || loads && given.step == stored.step
    }
}
