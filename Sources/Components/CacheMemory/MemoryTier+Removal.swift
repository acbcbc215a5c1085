import CMemory
import CacheModel

extension MemoryTier {
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
}
