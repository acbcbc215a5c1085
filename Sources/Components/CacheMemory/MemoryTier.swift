import ByteCoding
package import CacheModel

/// The resident entries of one shard, and the floors that say which of them may be seen.
///
/// ### Who calls it
/// One thread: the shard that owns these keys. There is no lock and no clock; every moment is
/// handed in. Nothing here waits, and nothing is remembered that is not bounded by
/// ``MemoryTierLimits``.
///
///     lookup ──▶ EntryIndex ──▶ Entry ── checked at this ordinal? ──yes──▶ EntryView
///                (one line)     (head)            │ no
///                                                 ▼
///     invalidation ──────────────────────▶ FloorTable ──▶ visible · soft · gone
///                                                 ▲
///     store ──▶ admission: token, versions ───────┘──▶ a slot of SlabArena ──▶ Entry
///                                                        │ none is free
///                                                        ▼
///                                      what has expired · EvictionPolicy · closing holes
///
/// ### One turn
/// First ``prefetchBucket(_:)`` for every key of the turn, then ``prefetchEntry(_:)``, then the
/// operations; a lookup then finds both lines in the cache. Between turns a slice of
/// ``expire(slotLimit:now:)``, ``closeHoles(limit:)``, ``sweep(bucketLimit:now:)`` and, when the
/// budget was lowered, ``shrink(stepLimit:bytesLimit:now:)``.
///
/// ### The law of visibility
/// A floor of a scope hides what was filled strictly below it. Hard floors and quarantine: gone.
/// Soft floors: stale, and said so. A key's invalidation removes or marks its entry at once; its
/// floor is then kept against tokens only. Dropping a floor never makes anything visible.
///
/// ### What it never does
/// It never allocates, retains or calls the policy on a hit. It never asks an origin, so what is
/// quarantined is removed as forgotten. It never decides whether a stale or unfenced entry is
/// served: it says what the entry is.
package struct MemoryTier: ~Copyable {
    let limits: MemoryTierLimits
    let guards: Guards
    /// For who hashes many keys: to ask the tier itself copies it.
    package let hasher: EntryHasher
    let weights: EntryWeights
    let policyName: EvictionPolicyName
    var policy: any EvictionPolicy
    /// The policy, if namespaces have quotas.
    var quotas: QuotaPolicy?
    /// Whether the policy is told of lookups; asked once.
    let tellsLookups: Bool
    var arena: SlabArena
    var index: EntryIndex
    var floors: FloorTable
    var counters = MemoryCounters()
    /// What all entries weigh together.
    var residentWeight = 0
    /// How much all entries and their index may weigh now.
    var budget: Int
    /// What the budget shrinks to, by slices; ``MemoryTierLimits/residentBytesMax`` unless memory
    /// is short.
    package internal(set) var budgetGoal: Int
    /// What the policy was last told that it may hold; of parts by ``quotas`` themselves.
    var policyBudget: Int
    /// An entry beside the bounds, for one answer.
    var guest: Guest?
    /// Counts stores, for identities.
    var storeNumber: UInt32 = 0
    var sweeping = SweepState()
    var expiry = ExpiryState()
    /// Entries of the bucket being walked; kept for its room.
    var scratch: [Entry] = []
    /// Entries that are about to be removed together.
    var doomed: [(entry: Entry, cause: RemovalCause)] = []
    /// Told of what is evicted for want of room; not of what a lowered quota pushes out.
    package var keeper: (any EvictedEntryKeeper)?
    /// The tags of the entry being stored; room for as many as an entry may have.
    let tagScratch: UnsafeMutableBufferPointer<TagID>
    #if CACHE_CHECKED
        /// Where the next partial check looks.
        var checkCursor = 0
    #endif

    /// An empty tier.
    ///
    /// - Parameter hashSeed: Drawn at random for each process, so that no client can choose keys
    ///   that collide.
    package init(
        limits: MemoryTierLimits, policy: EvictionPolicyName, hashSeed: UInt64,
        guards: Guards = .all
    ) {
        limits.check()
        self.limits = limits
        self.guards = guards
        budget = limits.residentBytesMax
        budgetGoal = limits.residentBytesMax
        policyBudget = limits.residentBytesMax
        hasher = EntryHasher(hasher: KeyHasher(seed: hashSeed))
        arena = SlabArena(budgetBytes: limits.memoryBytesExpected)
        weights = EntryWeights(limits.weighing, hasher, arena)
        index = EntryIndex(
            space: arena.space, hasher: hasher,
            entriesMax: limits.memoryBytesExpected / SizeClasses.smallestBytes)
        policyName = policy
        self.policy = policy.make(weights, budget: limits.residentBytesMax)
        tellsLookups = self.policy.wantsLookups
        floors = FloorTable(limits: limits, hasher: hasher.hasher, guards: guards)
        tagScratch = .allocate(capacity: Tag.perEntryMax)
    }

    deinit {
        tagScratch.deallocate()
    }

    /// The hash by which every other call finds this key.
    package func hash(namespace: NamespaceNumber, key: UnsafeRawBufferPointer) -> KeyHash {
        hasher.hash(key, in: namespace)
    }

    package var entryCount: Int { index.count }

    /// The memory in use: slots and pages that were touched, the index, and what the policy keeps.
    var chargedBytes: Int { arena.usedBytes + index.memoryBytes + policy.memoryBytes }

    /// Everything worth knowing, counted up to now.
    package var statistics: MemoryStatistics {
        var result = counters.statistics
        result.entryCount = index.count
        result.entriesMax = limits.entriesMax
        result.budgetBytes = budgetGoal
        result.residentBytes = chargedBytes
        result.holeBytes = arena.holeBytes
        result.indexBytes = index.memoryBytes
        result.policyBytes = policy.memoryBytes
        result.tagCount = floors.tags.count
        result.prefixFloorCount = floors.prefixCount
        result.keyFloorCount = floors.keyCount
        result.tokenBase = floors.tokenBase
        return result
    }
}
