import CacheModel

extension EntryPool {
    /// Maximum number of entries moved for one store before another one is evicted instead.
    private static var movesPerStoreMax: Int { 64 }
    /// Slots searched for expired entries before an unexpired one is evicted.
    private static var slotsPerStoreMax: Int { 256 }

    /// Evicts until there is a slot for the candidate within the budget and the limits.
    ///
    /// First expired entries, as far as a bounded search finds them; then the policy's victims. An
    /// expired or hidden victim is removed with its own cause, not as an eviction.
    ///
    /// - Returns: `nil` if no entry may be evicted for it and there is still no slot.
    mutating func makeRoom(for candidate: StoreCandidate, now: Instant) -> EntryReference? {
        let block = candidate.blockBytes
        let weight = weights.weight(of: candidate)
        let namespace = candidate.namespace
        var hasExpired = false
        while true {
            // Looked up again in each round: it may be moved or evicted.
            let replaced = replacedEntry(by: candidate)
            let isNamespaceFull = eviction.policy.isFull(namespace, adding: weight, over: replaced)
            let hasPlace = !isNamespaceFull && !isNumberReached(over: replaced)
            if hasPlace, let reference = slot(block: block, weight: weight) { return reference }
            if !hasExpired {
                hasExpired = true
                if expire(slotLimit: Self.slotsPerStoreMax, now: now).removedCount > 0 { continue }
            }
            if isNamespaceFull, eviction.policy.refusesWhenFull(namespace) { return nil }
            if hasPlace, areHolesMany, closeHoles(limit: Self.movesPerStoreMax) > 0 { continue }
            if limits.entriesMax != nil { eviction.noteWeightOfMost(residentWeight) }
            guard let victim = nextVictim(for: namespace, weight: weight, over: replaced) else {
                return nil
            }
            evict(victim, now: now)
        }
    }

    /// The entry that the candidate would replace, if a limit depends on it.
    @inline(__always)
    private func replacedEntry(by candidate: StoreCandidate) -> Entry? {
        guard limits.entriesMax != nil || eviction.quotas != nil else { return nil }
        return index.find(candidate.hash, namespace: candidate.namespace, key: candidate.key)
    }

    @inline(__always)
    private func isNumberReached(over replaced: Entry?) -> Bool {
        guard let most = limits.entriesMax else { return false }
        return replaced == nil && index.count >= most
    }

    /// Passes a new key to the policy, before space is made for its entry.
    @inline(__always)
    mutating func prepare(_ candidate: StoreCandidate) {
        eviction.policy.prepare(
            candidate.hash, weight: weights.weight(of: candidate), in: candidate.namespace)
    }

    /// Whether it weighs more than one entry of its namespace may now.
    @inline(__always)
    func isTooLarge(_ candidate: StoreCandidate) -> Bool {
        let whole = eviction.quotas?.weightMax(of: candidate.namespace) ?? budget.inForce
        return weights.weight(of: candidate) > max(1, Int(Double(whole) * limits.entryShareMax))
    }

    /// Whether the candidate could be stored now without evicting another entry. Slightly
    /// conservative.
    package func hasRoom(for candidate: StoreCandidate) -> Bool {
        let weight = weights.weight(of: candidate)
        let replaced = replacedEntry(by: candidate)
        guard !eviction.policy.isFull(candidate.namespace, adding: weight, over: replaced),
            !isNumberReached(over: replaced)
        else { return false }
        guard weights.weighing == .memory else { return residentWeight + weight <= budget.inForce }
        let used = residentBytes + EntryIndex.growthBytesMax
        return used + arena.chargedBytes(block: candidate.blockBytes) <= budget.inForce
    }

    /// Removes an entry that the policy has chosen, and passes it to the keeper, unless it has
    /// expired or is withheld.
    mutating func evict(_ victim: Entry, now: Instant) {
        index.remove(victim)
        let standing = floors.check(victim, now: now)
        if let keeper, standing == .visible {
            keeper.keep(view(of: victim), weights.hash(of: victim), now: now)
        }
        discard(victim, cause: standing.removal ?? .evicted)
    }

    /// Allocates a slot if that keeps the budget.
    private mutating func slot(block: Int, weight: Int) -> EntryReference? {
        guard weights.weighing == .memory else {
            guard residentWeight + weight <= budget.inForce else { return nil }
            return arena.take(block, mayGrow: true)
        }
        let used = residentBytes + EntryIndex.growthBytesMax
        guard used <= budget.inForce else { return nil }
        let growth = arena.chargedBytes(block: block)
        return arena.take(block, mayGrow: used + growth <= budget.inForce)
    }

    /// Whether there are more holes than are tolerated.
    var areHolesMany: Bool {
        weights.weighing == .memory
            && arena.holeBytes > Int(Double(budget.inForce) * limits.holeShareMax)
    }
}
