import CMemory
import CacheModel

/// Entries that come.
extension EntryPool {
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
            tagScratch[..<candidate.distinctTagCount].forEach { floors.tags.release($0) }
            return nil
        }
        let entry = arena.space.entry(reference)
        write(candidate, into: entry, now: now)
        return entry
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
                floors.tags.release(id)
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

    /// - Parameter candidate: complete except for end and tags, which are the entry's.
    mutating func replace(_ entry: Entry, by candidate: StoreCandidate, now: Instant) {
        var candidate = candidate
        candidate.distinctTagCount = entry.tagCount
        guard !isTooLarge(candidate) else { return }
        let end = entry.end
        let tags = (0..<entry.tagCount).map { entry.tagID($0) }
        tags.forEach { floors.tags.retain($0) }
        guard let reference = makeRoom(for: candidate, now: now) else {
            return tags.forEach { floors.tags.release($0) }
        }
        for (index, tag) in tags.enumerated() { tagScratch[index] = tag }
        let renewed = arena.space.entry(reference)
        write(candidate, into: renewed, now: now)
        renewed.end = end
        let replaced = index.find(
            candidate.hash, namespace: candidate.namespace, key: candidate.key)
        place(renewed, candidate.hash, over: replaced)
    }
}

/// Entries that leave.
extension EntryPool {
    /// Entries removed together: enough that the memory of each removal is prefetched by its turn.
    static var removedTogetherMax: Int { 32 }

    /// Removes the entries marked for removal.
    ///
    /// - Returns: how many.
    mutating func removeDoomed() -> Int {
        for (entry, _) in doomed { warmRemoval(of: entry) }
        let count = doomed.count
        for index in 0..<count { remove(doomed[index].entry, cause: doomed[index].cause) }
        doomed.removeAll(keepingCapacity: true)
        return count
    }

    /// Prefetches the lines that a removal touches: the bucket, and the neighbours in a queue.
    private func warmRemoval(of entry: Entry) {
        index.prefetchBucket(hasher.hash(entry))
        if !entry.previous.isNone { cache_prefetch(arena.space.entry(entry.previous).base) }
        if !entry.next.isNone { cache_prefetch(arena.space.entry(entry.next).base) }
    }

    /// Removes the entry of a key, visible or not: it must not be kept any more.
    package mutating func drop(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) {
        guard let entry = index.find(hash, namespace: namespace, key: key) else { return }
        remove(entry, cause: .invalidated)
        checkInvariants()
    }

    /// Removes an entry from index and policy and frees it.
    mutating func remove(_ entry: Entry, cause: RemovalCause) {
        eviction.policy.remove(entry)
        index.remove(entry)
        discard(entry, cause: cause)
    }

    /// The last step of every removal except a guest's: the only place where a cause is counted.
    mutating func discard(_ entry: Entry, cause: RemovalCause) {
        if cause == .invalidated {
            floors.remember(entry, hasher.hash(entry))
        } else if !floors.gone.isEmpty {
            floors.gone.forget(hasher.hash(entry))
        }
        counters.count(cause)
        free(entry)
    }

    /// Frees the slot of an entry that is in neither index nor policy: the only place for it.
    mutating func free(_ entry: Entry) {
        let weight = weights.weight(of: entry)
        floors.entryLeft(entry, bytes: weight)
        residentWeight -= weight
        arena.give(arena.space.reference(entry), entry.blockBytes)
    }

    /// Removes expired and hidden entries from a home bucket.
    ///
    /// - Returns: how many.
    mutating func sweepBucket(at position: UInt64, now: Instant) -> Int {
        let number = index.homeNumber(at: position)
        collect(bucket: number)
        for entry in scratch {
            if case .over(let cause) = floors.check(entry, now: now) {
                doomed.append((entry, cause))
            } else {
                entry.stopAges(at: now)
            }
        }
        let removedCount = removeDoomed()
        // A removal may have joined buckets; a chain is complete at any time.
        if removedCount > 0, number < index.bucketCount { index.tidy(number) }
        return removedCount
    }
}
