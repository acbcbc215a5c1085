import CacheModel

extension MemoryTier {
    /// Entries moved for one store, at most, before another one is evicted instead.
    private static var movesPerStoreMax: Int { 64 }
    /// Slots looked through for expired entries before one that is not over is evicted.
    private static var slotsPerStoreMax: Int { 256 }

    /// Lets entries go until there is a slot for the candidate within the budget and the bounds.
    ///
    /// First what has expired, as far as a bounded look finds it; then whoever the policy chooses.
    /// An entry met on the way that is over anyway leaves with its own cause and is no eviction.
    ///
    /// - Returns: `nil` if nothing may leave for it and there is still none.
    mutating func makeRoom(for candidate: StoreCandidate, now: Instant) -> EntryReference? {
        let block = candidate.blockBytes
        let weight = weights.weight(of: candidate)
        let namespace = candidate.namespace
        var hasExpired = false
        while true {
            // Sought anew in each round: it may be moved, or leave.
            let replaced = replacedEntry(by: candidate)
            let isNamespaceFull = policy.isFull(namespace, adding: weight, over: replaced)
            let hasPlace = !isNamespaceFull && !isNumberReached(over: replaced)
            if hasPlace, let reference = slot(block: block, weight: weight) { return reference }
            if !hasExpired {
                hasExpired = true
                if expire(slotLimit: Self.slotsPerStoreMax, now: now).removedCount > 0 { continue }
            }
            if isNamespaceFull, policy.refusesWhenFull(namespace) { return nil }
            if hasPlace, areHolesMany, closeHoles(limit: Self.movesPerStoreMax) > 0 { continue }
            tellPolicyOfNumber()
            guard let victim = nextVictim(for: namespace, weight: weight, over: replaced) else {
                return nil
            }
            evict(victim, now: now)
        }
    }

    /// What the candidate would take the place of, where a bound depends on it.
    @inline(__always)
    private func replacedEntry(by candidate: StoreCandidate) -> Entry? {
        guard limits.entriesMax != nil || quotas != nil else { return nil }
        return index.find(candidate.hash, namespace: candidate.namespace, key: candidate.key)
    }

    @inline(__always)
    private func isNumberReached(over replaced: Entry?) -> Bool {
        guard let most = limits.entriesMax else { return false }
        return replaced == nil && index.count >= most
    }

    /// Lets the policy know what it really has where not memory but a number bounds it, once that
    /// differs by an eighth. The parts of ``QuotaPolicy`` are told by it.
    private mutating func tellPolicyOfNumber() {
        guard limits.entriesMax != nil, quotas == nil,
            abs(residentWeight - policyBudget) > policyBudget / 8
        else { return }
        policyBudget = max(1, residentWeight)
        policy.budgetChanged(to: policyBudget)
    }

    /// Whether the candidate could be stored now and nothing else had to leave for it. Says no a
    /// little early.
    package func hasRoom(for candidate: StoreCandidate) -> Bool {
        let weight = weights.weight(of: candidate)
        let replaced = replacedEntry(by: candidate)
        guard !policy.isFull(candidate.namespace, adding: weight, over: replaced),
            !isNumberReached(over: replaced)
        else { return false }
        guard weights.weighing == .memory else { return residentWeight + weight <= budget }
        let used = chargedBytes + EntryIndex.growthBytesMax
        return used + arena.chargedBytes(block: candidate.blockBytes) <= budget
    }

    /// Lets go of an entry that the policy gave up, and tells of it who keeps such. One that is
    /// over, or withheld, is nobody's to keep.
    mutating func evict(_ victim: Entry, now: Instant) {
        index.remove(victim)
        let standing = check(victim, now: now)
        if let keeper, standing == .visible {
            keeper.keep(view(of: victim), weights.hash(of: victim), now: now)
        }
        discard(victim, cause: standing.removal ?? .evicted)
    }

    /// Takes a slot if that keeps the budget.
    private mutating func slot(block: Int, weight: Int) -> EntryReference? {
        guard weights.weighing == .memory else {
            guard residentWeight + weight <= budget else { return nil }
            return arena.take(block, mayGrow: true)
        }
        let used = chargedBytes + EntryIndex.growthBytesMax
        guard used <= budget else { return nil }
        let growth = arena.chargedBytes(block: block)
        return arena.take(block, mayGrow: used + growth <= budget)
    }

    /// Whether there are more holes than are let be.
    var areHolesMany: Bool {
        weights.weighing == .memory
            && arena.holeBytes > Int(Double(budget) * limits.holeShareMax)
    }
}
