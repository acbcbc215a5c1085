import ByteCoding
package import CacheModel

/// Names that a process gives to operations of those who gave none.
///
/// Nobody else can tell one before it is used. Whoever could might use it first, for something of
/// his own: the publisher, or an origin, would take the operation itself for a repetition, and not
/// do it. Nor does one that was seen tell the next: names are hashes of numbers under a secret.
package struct OperationNames: Hashable, Sendable {
    /// Who counts. No two that are asked for names by one secret share numbers.
    package enum Maker: Hashable, Sendable {
        /// What the shard of that number publishes.
        case publication(shard: UInt16)
        /// What the shard of that number has written to origins.
        case write(shard: UInt16)
        /// What the queue of writes publishes.
        case queue
        /// What the queue has tried again.
        case retry

        fileprivate var code: UInt64 {
            switch self {
            case .publication(let shard): 1 << 32 | UInt64(shard)
            case .write(let shard): 2 << 32 | UInt64(shard)
            case .queue: 3 << 32
            case .retry: 4 << 32
            }
        }
    }

    private let hash: SipHash

    /// - Parameter seed: drawn at random for one run, and told to nobody. Who wants to know it has
    ///   2^63 of them to try until the run is over.
    package init(seed: UInt64) {
        hash = SipHash(key0: seed, key1: StableHash.mix(~seed))
    }

    /// The name of an operation, by its number.
    ///
    /// - Complexity: O(1), and nothing is allocated.
    package func name(_ number: UInt64, of maker: Maker) -> OperationID {
        OperationID(
            high: hash.hash(maker.code, number),
            // Never none: that would name nothing.
            low: hash.hash(~maker.code, number) | 1)
    }
}
