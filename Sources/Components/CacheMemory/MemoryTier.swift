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

/// Paced invalidations: one range of route hashes after another.
extension MemoryTier {
    /// Sets the names of all namespaces, by number, which are part of route hashes. In an unnamed
    /// namespace a range covers every key.
    package mutating func nameNamespaces(_ names: [[UInt8]]) {
        floors.nameNamespaces(names)
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
        guard let cover = cover(of: scope),
            floors.raise(cover, within: range, strength: strength, to: stamp, now: now)
        else { return apply(scope, strength: strength, at: stamp, now: now) }
        if strength == .hard {
            let width = range.upperBound - range.lowerBound
            let share = UInt64(index.count).multipliedFullWidth(by: width).high
            sweeping.noteHidden(Int(share), of: index.count, now: now)
        }
        checkInvariants()
    }

    private func cover(of scope: TierScope) -> PacedFloors.Cover? {
        switch scope {
        case .key: nil
        case .tag(let namespace, let tag): floors.cover(ofTag: tag, in: namespace)
        case .prefix(let namespace, let prefix): .prefix([UInt8](prefix), namespace)
        case .namespace(let namespace): .namespace(namespace)
        case .everything: .everything
        }
    }
}

/// The policy that chooses victims, by namespace if some have quotas.
struct EvictionOrder {
    private let name: EvictionPolicyName
    private(set) var policy: any EvictionPolicy
    /// The policy, if namespaces have quotas.
    private(set) var quotas: QuotaPolicy?
    /// Whether the policy wants lookups; asked once.
    let tellsLookups: Bool
    /// The budget last passed to the policy; ``quotas`` do this for their parts.
    private var toldBudget: Int

    init(_ name: EvictionPolicyName, _ weights: EntryWeights, budget: Int) {
        self.name = name
        policy = name.make(weights, budget: budget)
        tellsLookups = policy.wantsLookups
        toldBudget = budget
    }

    mutating func setBudget(_ bytes: Int) {
        policy.budgetChanged(to: bytes)
        toldBudget = bytes
    }

    /// Passes the actual budget to the policy if the number of entries, not memory, is the limit,
    /// whenever it differs by an eighth.
    mutating func noteWeightOfMost(_ weight: Int) {
        guard quotas == nil, abs(weight - toldBudget) > toldBudget / 8 else { return }
        setBudget(max(1, weight))
    }

    /// The policy by namespace, from now on.
    ///
    /// - Parameter weight: of all entries.
    mutating func divided(_ weights: EntryWeights, budget: Int, weight: Int) -> QuotaPolicy {
        if let quotas { return quotas }
        let name = name
        let parts = QuotaPolicy(weights, budget: budget, others: policy, weight: weight) {
            name.make(weights, budget: $0)
        }
        (quotas, policy) = (parts, parts)
        return parts
    }

    /// Whether entries are still to be sorted by namespace, or a part has excess.
    var hasUnsettledQuotas: Bool { quotas.map { $0.joinCursor != nil || $0.hasExcess } ?? false }
}
