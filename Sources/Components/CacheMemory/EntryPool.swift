import ByteCoding
import CacheModel

/// The resident entries of one shard, and the memory for them.
///
///     written ──▶ SlabArena: a slot ──▶ Entry ─ placed ──▶ EntryIndex · EvictionOrder · FloorTable
///                    │ none within the budget                              ▲
///                    ▼                                                     │
///     expired entries · EvictionPolicy's victim · closing holes ── removed ┘
///
/// Each entry is in the index, in the eviction order, in the counts of its scopes, and noted for
/// its end; it comes and leaves here, so that they agree. Whether an entry may be stored or served
/// is decided by ``MemoryTier``.
package struct EntryPool: ~Copyable {
    let limits: MemoryTierLimits
    /// For callers that hash many keys: a call of the tier itself copies it.
    package let hasher: EntryHasher
    let weights: EntryWeights
    var eviction: EvictionOrder
    var arena: SlabArena
    var index: EntryIndex
    /// Here because tags and counts of scopes follow the entries.
    var floors: FloorTable
    var counters = MemoryCounters()
    /// The weight of all entries.
    var residentWeight = 0
    var budget: MemoryBudget
    /// An entry beside the limits, for one answer.
    var guest: Guest?
    /// Counts stores, for identities.
    var storeNumber: UInt32 = 0
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

    init(
        _ limits: MemoryTierLimits, _ policy: EvictionPolicyName, _ keyHasher: KeyHasher,
        _ guards: Guards
    ) {
        limits.check()
        self.limits = limits
        budget = MemoryBudget(limits.residentBytesMax)
        hasher = EntryHasher(hasher: keyHasher)
        arena = SlabArena(budgetBytes: limits.memoryBytesExpected)
        weights = EntryWeights(limits.weighing, hasher, arena)
        index = EntryIndex(
            space: arena.space, hasher: hasher,
            entriesMax: limits.memoryBytesExpected / SizeClasses.smallestBytes)
        eviction = EvictionOrder(policy, weights, budget: limits.residentBytesMax)
        floors = FloorTable(limits: limits, hasher: keyHasher, guards: guards)
        tagScratch = .allocate(capacity: Tag.perEntryMax)
    }

    deinit {
        tagScratch.deallocate()
    }

    /// Memory in use, in bytes: touched slots and pages, the index, and the policy.
    package var residentBytes: Int {
        arena.usedBytes + index.memoryBytes + eviction.policy.memoryBytes
    }

    @inline(__always)
    func view(of entry: Entry) -> EntryView {
        EntryView(entry, tagNames: UnsafePointer(floors.tags.names))
    }

    /// Fills the scratch with the entries of a home bucket.
    mutating func collect(bucket number: Int) {
        scratch.removeAll(keepingCapacity: true)
        index.collect(number, into: &scratch)
    }
}
