import CacheModel

extension EvictionPolicyName {
    /// Maximum share of a tier for one entry under this policy: the size-aware ones refuse an entry
    /// that would evict too many others, the baselines accept everything.
    package var entryShareMax: Double {
        switch self {
        case .adaptive, .s3fifo: 0.1
        case .wtinylfu, .gdsf, .sieve, .clock, .lru, .fifo: 1
        }
    }

    /// - Parameter budget: maximum weight of all entries.
    func make(_ weights: EntryWeights, budget: Int) -> any EvictionPolicy {
        switch self {
        case .adaptive: AdaptivePolicy(weights, budget: budget)
        case .s3fifo: S3FIFOPolicy(weights, budget: budget)
        case .wtinylfu: WTinyLFUPolicy(weights, budget: budget)
        case .gdsf: GDSFPolicy(weights)
        case .sieve: SievePolicy(weights)
        case .clock: QueuePolicy(weights, secondChances: true)
        case .lru: LRUPolicy(weights)
        case .fifo: QueuePolicy(weights, secondChances: false)
        }
    }
}
