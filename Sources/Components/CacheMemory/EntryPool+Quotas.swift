package import CacheModel

extension EntryPool {
    /// A tier with no more buckets is sorted at once: usually it is still empty.
    private static var bucketsJoinedAtOnceMax: Int { 64 }
    /// Buckets sorted before a store searches for a victim again.
    private static var bucketsJoinedPerVictim: Int { 64 }

    /// Sets shares of the budget and entry limits per namespace; the others have neither limit nor
    /// guarantee.
    ///
    /// ``settleQuotas(bucketLimit:)`` evicts the excess over a lowered limit; until then the
    /// namespace may keep it, but not grow. A namespace that refuses when full keeps its entries
    /// until they end.
    ///
    /// - Complexity: O(quotas). ``settleQuotas(bucketLimit:)`` also sorts the entries of a
    ///   namespace without previous quota; if an earlier change is not settled yet, that is done
    ///   first, in O(entries).
    package mutating func setQuotas(_ quotas: [NamespaceNumber: MemoryQuota]) {
        guard eviction.quotas != nil || !quotas.isEmpty else { return }
        let parts = eviction.divided(weights, budget: budget.goal, weight: residentWeight)
        while joinSlice(bucketLimit: index.bucketCount) {}
        let pinnedBefore = parts.pinnedNamespaces
        parts.setQuotas(quotas, resident: residentCounts(quotas.keys))
        if !pinnedBefore.allSatisfy({ parts.refusesWhenFull($0) }) { resumeShrinking() }
        if index.bucketCount <= Self.bucketsJoinedAtOnceMax {
            while joinSlice(bucketLimit: index.bucketCount) {}
        }
        checkInvariants()
    }

    /// One slice of settling a change of quotas: sorts entries into the parts of their namespaces,
    /// and evicts the excess of a part.
    ///
    /// - Complexity: O(bucketLimit).
    package mutating func settleQuotas(bucketLimit: Int) {
        guard let quotas = eviction.quotas, eviction.hasUnsettledQuotas else { return }
        defer { checkInvariants() }
        guard !joinSlice(bucketLimit: bucketLimit) else { return }
        for _ in 0..<bucketLimit {
            guard let victim = quotas.takeExcess() else { return }
            index.remove(victim)
            discard(victim, cause: .evicted)
        }
    }

    /// An entry to evict for one of `namespace`. If an unsettled change of quotas hides it,
    /// settling continues until there is one.
    ///
    /// - Complexity: as ``EvictionPolicy/takeVictim()``; once after a change up to O(buckets).
    mutating func nextVictim(
        for namespace: NamespaceNumber, weight: Int, over replaced: Entry?
    ) -> Entry? {
        while true {
            let victim = eviction.policy.takeVictim(for: namespace, weight: weight, over: replaced)
            if victim != nil || eviction.quotas?.joinCursor == nil { return victim }
            _ = joinSlice(bucketLimit: Self.bucketsJoinedPerVictim)
        }
    }

    private func residentCounts(
        _ namespaces: some Sequence<NamespaceNumber>
    ) -> (NamespaceNumber) -> ScopeCount {
        let counts = Dictionary(
            namespaces.map { ($0, floors.tallies.resident(of: $0)) }
        ) { first, _ in first }
        return { counts[$0] ?? ScopeCount() }
    }

    package var quotaUsage: [QuotaUsage] { eviction.quotas?.usage ?? [] }

    /// - Returns: whether entries remain to be sorted.
    mutating func joinSlice(bucketLimit: Int) -> Bool {
        guard let quotas = eviction.quotas, var cursor = quotas.joinCursor else { return false }
        for _ in 0..<bucketLimit {
            collect(bucket: index.homeNumber(at: cursor))
            for entry in scratch {
                let hash = hasher.hash(entry)
                if EntryIndex.position(of: hash) >= cursor { quotas.join(entry, hash) }
            }
            guard let next = index.cursor(after: cursor) else {
                quotas.joined(before: nil)
                return false
            }
            cursor = next
        }
        quotas.joined(before: cursor)
        return true
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
