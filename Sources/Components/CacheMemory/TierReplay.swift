package import CacheModel
import ByteCoding

/// Replays a request trace through a tier, as an application with a database behind its cache would
/// use it: each missed key is stored.
///
/// The tier is the real one, with index, slabs and policy; only the weight of an entry comes from
/// the trace instead of its memory. Values are not kept: four bytes state the length of each.
package final class TierReplay {
    package struct Options: Sendable {
        package var policy: EvictionPolicyName
        /// The unit of capacity and sizes; not ``EntryWeighing/memory``.
        package var weighing: EntryWeighing
        /// Of one shard, from 1.
        package var capacity: Int
        /// Maximum share of the capacity for one entry; `nil` for the policy's default.
        package var entryShareMax: Double?

        package init(policy: EvictionPolicyName, weighing: EntryWeighing, capacity: Int) {
            self.policy = policy
            self.weighing = weighing
            self.capacity = capacity
        }
    }

    package private(set) var requestCount = 0
    package private(set) var missCount = 0
    private var tier: MemoryTier
    private let now = Instant(nanoseconds: 0)

    package init(_ options: Options) {
        precondition(options.capacity > 0, "a tier has a positive size")
        var limits = MemoryTierLimits(residentBytesMax: options.capacity)
        limits.weighing = options.weighing
        limits.entryShareMax = options.entryShareMax ?? options.policy.entryShareMax
        tier = MemoryTier(limits: limits, policy: options.policy, hashSeed: 1)
    }

    /// Replays one request.
    ///
    /// - Parameter size: the length of its value; 0 counts as 1.
    /// - Returns: whether it was a hit.
    package func request(_ key: UnsafeRawBufferPointer, size: Int) -> Bool {
        requestCount += 1
        let room = NamespaceNumber(0)
        let hash = tier.hash(namespace: room, key: key)
        if tier.lookup(hash, namespace: room, key: key, now: now) != nil { return true }
        missCount += 1
        withUnsafeBytes(of: UInt32(clamping: max(size, 1))) { value in
            _ = tier.store(
                StoreCandidate(hash: hash, namespace: room, key: key, value: value, fill: .none),
                now: now)
        }
        return false
    }

    package var statistics: MemoryStatistics { tier.statistics }
}
