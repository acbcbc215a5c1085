package import CacheModel

extension MemoryTier {
    /// Stores the candidate if its token and version allow, after making space.
    ///
    /// - Returns: the effect, or why nothing was stored: `outOfRange`, `tooLarge`, `olderVersion`,
    ///   `tokenTooOld`, `invalidatedMeanwhile`, `full`, or `leaseVoid` for a token from elsewhere
    ///   when something at least as new is resident.
    /// - Complexity: O(bytes) and amortised O(1) evictions and moves.
    package mutating func store(
        _ candidate: StoreCandidate, now: Instant
    ) -> Result<StoreEffect, StoreRefusal> {
        defer { checkInvariants() }
        let resident = visibleResident(candidate, now: now)
        if let refusal = refusal(of: candidate, resident: resident) {
            counters.count(refusal)
            return .failure(refusal)
        }
        // Its version has been compared. The guest uses no space that another entry could have.
        dismissGuest()
        if resident == nil {
            eviction.policy.prepare(
                candidate.hash, weight: weights.weight(of: candidate), in: candidate.namespace)
        }
        guard let entry = written(candidate, now: now) else {
            let refusal: StoreRefusal = index.count == 0 ? .tooLarge : .full
            counters.count(refusal)
            return .failure(refusal)
        }
        // Making space may have evicted the resident entry.
        let replaced = index.find(
            candidate.hash, namespace: candidate.namespace, key: candidate.key)
        place(entry, candidate.hash, over: replaced)
        counters.stores &+= 1
        return .success(
            StoreEffect(replaced: resident != nil, costBytes: weights.weight(of: entry)))
    }

    /// Makes space for the candidate and writes its entry, which is not in the index yet.
    ///
    /// - Parameter isGuest: no space is made: it uses a slot beside the budget.
    /// - Returns: `nil` if there is none, because no remaining entry may be evicted for it.
    @inline(__always)
    mutating func written(
        _ candidate: StoreCandidate, isGuest: Bool = false, now: Instant
    ) -> Entry? {
        var candidate = candidate
        candidate.distinctTagCount = retainTags(of: candidate)
        let reference =
            isGuest
            ? arena.take(candidate.blockBytes, mayGrow: true)
            : makeRoom(for: candidate, now: now)
        guard let reference else {
            tagScratch[..<candidate.distinctTagCount].forEach { floors.releaseTag($0) }
            return nil
        }
        let entry = arena.space.entry(reference)
        write(candidate, into: entry, now: now)
        return entry
    }

    /// The entry that the candidate would replace; an expired or hidden one is removed and does not
    /// count.
    private mutating func visibleResident(
        _ candidate: StoreCandidate, now: Instant
    ) -> Entry? {
        guard
            let entry = index.find(
                candidate.hash, namespace: candidate.namespace, key: candidate.key)
        else { return nil }
        return isVisible(entry, now: now) ? entry : nil
    }

    /// Retains each tag of the candidate once. Tags are identified by their floors here, so two
    /// tags that share one count as one.
    ///
    /// - Returns: their number, in `tagScratch`: the entry's block has space for them.
    private mutating func retainTags(of candidate: StoreCandidate) -> Int {
        var count = 0
        for tag in candidate.tags {
            let id = floors.retainTag(tag, in: candidate.namespace)
            if tagScratch[..<count].contains(id) {
                floors.releaseTag(id)
            } else {
                tagScratch[count] = id
                count += 1
            }
        }
        return count
    }

    /// Writes the entry, with its tags retained. It is not in the index yet.
    mutating func write(
        _ candidate: StoreCandidate, into entry: Entry, now: Instant
    ) {
        storeNumber &+= 1
        let tagIDs = UnsafeBufferPointer(rebasing: tagScratch[..<candidate.distinctTagCount])
        entry.write(candidate, tagIDs: tagIDs, now: now, identity: storeNumber)
        // A fenced candidate has just been checked against all floors. Any other is checked when it
        // is first visited.
        if candidate.isFenced { entry.checkedAt = floors.ordinal }
    }

    mutating func place(_ entry: Entry, _ hash: KeyHash, over old: Entry?) {
        let weight = weights.weight(of: entry)
        residentWeight += weight
        floors.entryCame(entry, bytes: weight)
        expiry.noteEnd(of: entry, &arena)
        guard let old else {
            index.insert(entry, hash)
            eviction.policy.admit(entry, hash)
            return
        }
        entry.inherit(old)
        index.replace(old, with: entry)
        eviction.policy.replace(old, with: entry)
        discard(old, cause: .replaced)
    }
}
