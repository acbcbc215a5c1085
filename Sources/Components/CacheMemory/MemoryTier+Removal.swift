import CMemory
import CacheModel

extension MemoryTier {
    /// Entries that leave together: enough that the memory each removal touches is there by the
    /// time it is its turn.
    static var removedTogetherMax: Int { 32 }

    /// Removes the entries that were found to have to leave.
    ///
    /// - Returns: how many.
    mutating func removeDoomed() -> Int {
        for (entry, _) in doomed { warmRemoval(of: entry) }
        let count = doomed.count
        for index in 0..<count { remove(doomed[index].entry, cause: doomed[index].cause) }
        doomed.removeAll(keepingCapacity: true)
        return count
    }

    /// Asks for the lines that a removal touches: the bucket, and the neighbours in a queue.
    private func warmRemoval(of entry: Entry) {
        index.prefetchBucket(hasher.hash(entry))
        if !entry.previous.isNone { cache_prefetch(arena.space.entry(entry.previous).base) }
        if !entry.next.isNone { cache_prefetch(arena.space.entry(entry.next).base) }
    }

    /// Takes out what is there of a key, whatever it is worth: it must not be kept any more.
    package mutating func drop(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) {
        guard let entry = index.find(hash, namespace: namespace, key: key) else { return }
        remove(entry, cause: .invalidated)
        checkInvariants()
    }

    /// Takes an entry out of index and policy and frees it.
    mutating func remove(_ entry: Entry, cause: RemovalCause) {
        policy.remove(entry)
        index.remove(entry)
        discard(entry, cause: cause)
    }

    /// The last step of every removal but a guest's: the only place where a cause is counted.
    mutating func discard(_ entry: Entry, cause: RemovalCause) {
        if cause == .invalidated {
            floors.remember(entry, hasher.hash(entry))
        } else if !floors.gone.isEmpty {
            floors.gone.forget(hasher.hash(entry))
        }
        counters.count(cause)
        free(entry)
    }

    /// Gives the slot back of an entry that neither index nor policy holds: the only place for it.
    mutating func free(_ entry: Entry) {
        let weight = weights.weight(of: entry)
        floors.entryLeft(entry, bytes: weight)
        residentWeight -= weight
        arena.give(arena.space.reference(entry), entry.blockBytes)
    }
}
