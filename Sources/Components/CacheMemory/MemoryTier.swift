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
///     store ──▶ admission: token, versions ───────┘──▶ a slot of SlabArena ──▶ Entry
///                                                        │ none is free
///                                                        ▼
///                             expired entries · EvictionPolicy · closing holes
///
/// ### One turn
/// First ``prefetchBucket(_:)`` for every key of the turn, then ``prefetchEntry(_:)``, then the
/// operations; a lookup then finds both lines in the cache. Between turns a slice of
/// ``expire(slotLimit:now:)``, ``closeHoles(limit:)``, ``sweep(bucketLimit:now:)`` and, when the
/// budget was lowered, ``shrink(stepLimit:bytesLimit:now:)``.
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
    let limits: MemoryTierLimits
    let guards: Guards
    /// For callers that hash many keys: a call of the tier itself copies it.
    package let hasher: EntryHasher
    let weights: EntryWeights
    var eviction: EvictionOrder
    var arena: SlabArena
    var index: EntryIndex
    var floors: FloorTable
    var counters = MemoryCounters()
    /// The weight of all entries.
    var residentWeight = 0
    var budget: MemoryBudget
    /// An entry beside the limits, for one answer.
    var guest: Guest?
    /// Counts stores, for identities.
    var storeNumber: UInt32 = 0
    var sweeping = SweepState()
    var expiry = EntryExpiry()
    /// Entries of the bucket being walked; kept for its capacity.
    var scratch: [Entry] = []
    /// Entries that are about to be removed together.
    var doomed: [(entry: Entry, cause: RemovalCause)] = []
    /// Receives entries evicted for space, but not those evicted by a lowered quota.
    package var keeper: (any EvictedEntryKeeper)?
    /// The tags of the entry being stored; capacity for the maximum per entry.
    let tagScratch: UnsafeMutableBufferPointer<TagID>
    #if CACHE_CHECKED
        /// The bucket of the next partial check.
        var checkCursor = 0
    #endif

    /// An empty tier.
    ///
    /// - Parameter hashSeed: drawn at random per process, so that no client can choose keys that
    ///   collide.
    package init(
        limits: MemoryTierLimits, policy: EvictionPolicyName, hashSeed: UInt64,
        guards: Guards = .all
    ) {
        limits.check()
        self.limits = limits
        self.guards = guards
        budget = MemoryBudget(limits.residentBytesMax)
        hasher = EntryHasher(hasher: KeyHasher(seed: hashSeed))
        arena = SlabArena(budgetBytes: limits.memoryBytesExpected)
        weights = EntryWeights(limits.weighing, hasher, arena)
        index = EntryIndex(
            space: arena.space, hasher: hasher,
            entriesMax: limits.memoryBytesExpected / SizeClasses.smallestBytes)
        eviction = EvictionOrder(policy, weights, budget: limits.residentBytesMax)
        floors = FloorTable(limits: limits, hasher: hasher.hasher, guards: guards)
        tagScratch = .allocate(capacity: Tag.perEntryMax)
    }

    deinit {
        tagScratch.deallocate()
    }

    /// The hash that all other calls use for this key.
    package func hash(namespace: NamespaceNumber, key: UnsafeRawBufferPointer) -> KeyHash {
        hasher.hash(key, in: namespace)
    }

    package var entryCount: Int { index.count }

    /// The memory in use: touched slots and pages, the index, and the policy.
    var chargedBytes: Int { arena.usedBytes + index.memoryBytes + eviction.policy.memoryBytes }

    /// All statistics up to now.
    package var statistics: MemoryStatistics {
        var result = counters.statistics
        result.entryCount = index.count
        result.entriesMax = limits.entriesMax
        result.budgetBytes = budget.goal
        result.residentBytes = chargedBytes
        result.holeBytes = arena.holeBytes
        result.indexBytes = index.memoryBytes
        result.policyBytes = eviction.policy.memoryBytes
        result.tagCount = floors.tags.count
        result.prefixFloorCount = floors.prefixCount
        result.keyFloorCount = floors.keyCount
        result.tokenBase = floors.tokenBase
        return result
    }
}
