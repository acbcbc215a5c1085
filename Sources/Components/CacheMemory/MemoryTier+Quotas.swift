package import CacheModel

extension MemoryTier {
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

    /// Usage of the namespaces with a quota.
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
