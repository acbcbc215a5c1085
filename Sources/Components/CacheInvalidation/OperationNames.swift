import ByteCoding
package import CacheModel

/// Names that a process gives to operations of clients that gave none.
///
/// No other process can tell a name before it is used. Otherwise an attacker could use it first,
/// for something else: the publisher, or an origin, would take the operation itself for a
/// repetition, and not do it. A name that was seen does not tell the next one either: names are
/// hashes of numbers under a secret.
package struct OperationNames: Hashable, Sendable {
    /// The counter of the numbers. No two counters under one secret share names.
    package enum Maker: Hashable, Sendable {
        /// Publications of this shard.
        case publication(shard: UInt16)
        /// Writes of this shard to origins.
        case write(shard: UInt16)
        /// Publications of the write queue.
        case queue
        /// Retries of the write queue.
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

    /// - Parameter seed: drawn at random for one run, and kept secret. An attacker has to try 2^63
    ///   seeds on average before the run is over.
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
