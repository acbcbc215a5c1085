package import CacheModel

extension MemoryTier {
    /// A tier of so few buckets is sorted in one go: as a rule it is still empty.
    private static var bucketsJoinedAtOnceMax: Int { 64 }
    /// Buckets sorted in before a store looks for a victim again.
    private static var bucketsJoinedPerVictim: Int { 64 }

    /// Gives namespaces shares of the budget and numbers of entries; those not named have no bound
    /// and no promise.
    ///
    /// What a lowered bound makes too much leaves by ``settleQuotas(bucketLimit:)``; until it has
    /// the namespace may have that much, but not grow. What a namespace has that refuses when it is
    /// full stays until it ends.
    ///
    /// - Complexity: O(quotas). The entries of a namespace that had none before are sorted in by
    ///   ``settleQuotas(bucketLimit:)`` too; if an earlier change is still being settled, that is
    ///   ended first, in O(entries).
    package mutating func setQuotas(_ quotas: [NamespaceNumber: MemoryQuota]) {
        if self.quotas == nil {
            guard !quotas.isEmpty else { return }
            let (weights, name) = (weights, policyName)
            let others = policy
            let parts = QuotaPolicy(
                weights, budget: budgetGoal, others: others, weight: residentWeight
            ) { name.make(weights, budget: $0) }
            self.quotas = parts
            policy = parts
        }
        while joinSlice(bucketLimit: index.bucketCount) {}
        let pinnedBefore = self.quotas?.pinnedNamespaces ?? []
        self.quotas?.setQuotas(quotas, resident: residentCounts(quotas.keys))
        if let parts = self.quotas, !pinnedBefore.allSatisfy({ parts.refusesWhenFull($0) }) {
            resumeShrinking()
        }
        if index.bucketCount <= Self.bucketsJoinedAtOnceMax {
            while joinSlice(bucketLimit: index.bucketCount) {}
        }
        checkInvariants()
    }

    /// One slice of what a change of quotas leaves to be done: entries are sorted into the parts of
    /// their namespaces, and what a part has too much leaves.
    ///
    /// - Complexity: O(bucketLimit).
    package mutating func settleQuotas(bucketLimit: Int) {
        guard let quotas, quotas.joinCursor != nil || quotas.hasExcess else { return }
        defer { checkInvariants() }
        guard !joinSlice(bucketLimit: bucketLimit) else { return }
        for _ in 0..<bucketLimit {
            guard let victim = quotas.takeExcess() else { return }
            index.remove(victim)
            discard(victim, cause: .evicted)
        }
    }

    /// Whether ``settleQuotas(bucketLimit:)`` has something to do.
    var hasUnsettledQuotas: Bool {
        guard let quotas else { return false }
        return quotas.joinCursor != nil || quotas.hasExcess
    }

    /// An entry to evict for one of `namespace`. Where an earlier change of quotas is still being
    /// settled and hides it, that is carried on until there is one.
    ///
    /// - Complexity: as ``EvictionPolicy/takeVictim()``; once after a change up to O(buckets).
    mutating func nextVictim(
        for namespace: NamespaceNumber, weight: Int, over replaced: Entry?
    ) -> Entry? {
        while true {
            let victim = policy.takeVictim(for: namespace, weight: weight, over: replaced)
            if victim != nil || quotas?.joinCursor == nil { return victim }
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

    /// What the namespaces with a quota have.
    package var quotaUsage: [QuotaUsage] { quotas?.usage ?? [] }

    /// - Returns: whether entries are still to be sorted in.
    mutating func joinSlice(bucketLimit: Int) -> Bool {
        guard let quotas, var cursor = quotas.joinCursor else { return false }
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
