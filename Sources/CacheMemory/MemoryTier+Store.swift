package import CacheModel

extension MemoryTier {
    /// Stores the candidate if its token and version allow, making room first.
    ///
    /// - Returns: What it did, or why nothing was stored: `outOfRange`, `tooLarge`,
    ///   `olderVersion`, `tokenTooOld`, `invalidatedMeanwhile`, or `leaseVoid` for a token from
    ///   elsewhere when something at least as new is resident.
    /// - Complexity: O(bytes) and amortised O(1) evictions; now and then the index doubles.
    package mutating func store(
        _ candidate: StoreCandidate, now: Instant
    ) -> Result<StoreEffect, StoreRefusal> {
        defer { checkInvariants() }
        let resident = visibleResident(candidate, now: now)
        if let refusal = refusal(of: candidate, resident: resident) {
            counters.count(refusal)
            return .failure(refusal)
        }
        let entry = make(candidate, now: now)
        let replaced = makeRoom(for: entry, replacing: resident, now: now)
        place(entry, over: replaced)
        counters.stores &+= 1
        return .success(
            StoreEffect(replaced: resident != nil, costBytes: entry.costBytes))
    }

    /// The entry the candidate would replace; one that is over is removed and does not count.
    private mutating func visibleResident(
        _ candidate: StoreCandidate, now: Instant
    ) -> Entry? {
        guard
            let entry = index.find(
                candidate.hash, namespace: candidate.namespace, key: candidate.key)
        else { return nil }
        return isVisible(entry, now: now) ? entry : nil
    }

    /// Builds the entry, with its tags retained. It is in no index yet.
    private mutating func make(_ candidate: StoreCandidate, now: Instant) -> Entry {
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
        storeNumber &+= 1
        let entry = Entry.make(
            candidate, tagIDs: UnsafeBufferPointer(rebasing: tagScratch[..<count]), now: now,
            identity: storeNumber)
        // A fenced candidate has just been held against every floor there is. Any other is
        // checked when it is first met.
        if candidate.isFenced { entry.head.pointee.checkedAt = floors.ordinal }
        return entry
    }

    private mutating func place(_ entry: Entry, over old: Entry?) {
        residentBytes += entry.costBytes
        guard let old else {
            index.insert(entry)
            policy.admit(entry)
            return
        }
        entry.head.pointee.frequency = old.head.pointee.frequency
        index.replace(old, with: entry)
        policy.replace(old, with: entry)
        discard(old, cause: .replaced)
    }
}
