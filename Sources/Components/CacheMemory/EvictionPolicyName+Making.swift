import CacheModel

extension EvictionPolicyName {
    /// Largest share of a tier that one entry should take under this policy: the size-aware ones
    /// refuse what would push out too many others, the measures they are held against take
    /// everything.
    package var entryShareMax: Double {
        switch self {
        case .adaptive, .s3fifo: 0.1
        case .wtinylfu, .gdsf, .sieve, .clock, .lru, .fifo: 1
        }
    }

    /// - Parameter budget: how much all entries may weigh.
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
