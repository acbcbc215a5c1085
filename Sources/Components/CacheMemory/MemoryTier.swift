import ByteCoding
package import CacheModel

/// The resident entries of one shard, and the floors that determine their visibility.
///
/// ### Use
/// One thread: the shard that owns these keys. There is no lock and no clock; every moment is a
/// parameter. No call blocks, and all state is bounded by ``MemoryTierLimits``.
///
///     lookup ──▶ EntryIndex ──▶ Entry ── checked at this ordinal? ──yes──▶ EntryView
///                (one line)     (head)            │ no
///                                                 ▼
///     invalidation ──────────────────────▶ FloorTable ──▶ visible · soft · removed
///                                                 ▲
///     store ──▶ admission: token, versions ───────┘──▶ EntryPool: a slot, index, eviction order
///
/// ### One turn
/// First ``prefetchBucket(_:)`` for every key of the turn, then ``prefetchEntry(_:)``, then the
/// operations; a lookup then finds both lines in the cache. Between turns a slice of
/// ``EntryPool/expire(slotLimit:now:)``, ``EntryPool/closeHoles(limit:)``,
/// ``sweep(bucketLimit:now:)`` and, when the budget was lowered,
/// ``EntryPool/shrink(stepLimit:bytesLimit:now:)``.
///
/// ### Visibility
/// A floor of a scope hides values filled strictly below it. Hard floors and quarantine: removed.
/// Soft floors: stale, and marked so. A key's invalidation removes or marks its entry at once; its
/// floor is then only used against tokens. Dropping a floor never makes an entry visible.
///
/// ### Guarantees
/// It never allocates, retains or calls the policy on a hit. It never asks an origin: a
/// quarantined entry is withheld if it can be revalidated, else removed as forgotten. It never
/// decides whether a stale or unfenced entry is served: it only reports the entry's state.
package struct MemoryTier: ~Copyable {
    /// Where the entries are, and which of them leave when space is needed.
    package var entries: EntryPool
    var sweeping = SweepState()

    /// An empty tier.
    ///
    /// - Parameter hashSeed: drawn at random per process, so that no client can choose keys that
    ///   collide.
    package init(
        limits: MemoryTierLimits, policy: EvictionPolicyName, hashSeed: UInt64,
        guards: Guards = .all
    ) {
        entries = EntryPool(limits, policy, KeyHasher(seed: hashSeed), guards)
    }

    /// The hash that all other calls use for this key.
    package func hash(namespace: NamespaceNumber, key: UnsafeRawBufferPointer) -> KeyHash {
        entries.hasher.hash(key, in: namespace)
    }

    package var entryCount: Int { entries.index.count }

    /// All statistics up to now.
    package var statistics: MemoryStatistics {
        var result = entries.counters.statistics
        result.entryCount = entries.index.count
        result.entriesMax = entries.limits.entriesMax
        result.budgetBytes = entries.budget.goal
        result.residentBytes = entries.residentBytes
        result.holeBytes = entries.arena.holeBytes
        result.indexBytes = entries.index.memoryBytes
        result.policyBytes = entries.eviction.policy.memoryBytes
        result.tagCount = entries.floors.tags.count
        result.prefixFloorCount = entries.floors.prefixCount
        result.keyFloorCount = entries.floors.keyCount
        result.tokenBase = entries.floors.tokenBase
        return result
    }
}

/// Paced invalidations: one range of route hashes after another.
extension MemoryTier {
    /// Sets the names of all namespaces, by number, which are part of route hashes. In an unnamed
    /// namespace a range covers every key.
    package mutating func nameNamespaces(_ names: [[UInt8]]) {
        entries.floors.nameNamespaces(names)
    }

    /// Applies one scope of a record at `stamp` to the keys with a route hash in `range`.
    ///
    /// Above ``MemoryTierLimits/pacedScopesMax`` or ``MemoryTierLimits/pacedRangesMax`` the whole
    /// scope rises: that hides more, never less. A single key has no range and is invalidated as a
    /// whole.
    ///
    /// - Complexity: O(1) in the number of entries; O(log ranges) where ranges come in order.
    package mutating func apply(
        _ scope: TierScope, within range: ClosedRange<UInt64>,
        strength: InvalidationRecord.Strength, at stamp: FillStamp, now: Instant
    ) {
        guard stamp > .none else { return }
        prepareRise()
        guard let cover = entries.floors.cover(of: scope),
            entries.floors.raise(cover, within: range, strength: strength, to: stamp, now: now)
        else { return apply(scope, strength: strength, at: stamp, now: now) }
        if strength == .hard {
            let width = range.upperBound - range.lowerBound
            let share = UInt64(entries.index.count).multipliedFullWidth(by: width).high
            noteHidden(Int(share), now: now)
        }
        entries.checkInvariants()
    }
}
