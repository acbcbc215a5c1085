import ByteCoding
import CacheMemory
import CacheModel

/// One cache, in as many shards as asked for, that a whole trace is replayed through.
struct PolicyReplay: Sendable {
    /// What came of it.
    struct Counts: Hashable, Sendable {
        var misses = 0
        var missedBytes = 0
    }

    var policy: EvictionPolicyName
    var unit: TraceUnit
    /// Of all shards together; each has at least one.
    var capacity: Int
    var shards: Int

    /// - Parameter done: told now and then how many requests further it has come.
    func run(_ trace: RecordedTrace, done: (Int) -> Void) -> Counts {
        let tiers = makeTiers()
        var counts = Counts()
        trace.keys.bytes.withUnsafeBytes { bytes in
            trace.keys.bounds.withUnsafeBufferPointer { bounds in
                for piece in trace.pieces {
                    for request in piece {
                        let number = Int(request.key)
                        let key = UnsafeRawBufferPointer(
                            rebasing: bytes[bounds[number]..<bounds[number + 1]])
                        let tier = tiers.count == 1 ? tiers[0] : tiers[shard(of: key)]
                        if !tier.request(key, size: Int(request.size)) {
                            counts.misses += 1
                            counts.missedBytes += Int(request.size)
                        }
                    }
                    done(piece.count)
                }
            }
        }
        return counts
    }

    /// The capacity in equal parts; what is left over goes to the first, one each.
    private func makeTiers() -> [TierReplay] {
        precondition(capacity >= shards, "every shard has room for something")
        return (0..<shards).map { shard in
            let part = capacity / shards + (shard < capacity % shards ? 1 : 0)
            return TierReplay(.init(policy: policy, weighing: unit.weighing, capacity: part))
        }
    }

    private func shard(of key: UnsafeRawBufferPointer) -> Int {
        Int(StableHash.hash(key).multipliedFullWidth(by: UInt64(shards)).high)
    }
}
