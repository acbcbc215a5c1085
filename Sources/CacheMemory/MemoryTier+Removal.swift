import CacheModel

extension MemoryTier {
    /// Takes an entry out of index and policy and frees it.
    mutating func remove(_ entry: Entry, cause: RemovalCause) {
        policy.remove(entry)
        index.remove(entry)
        discard(entry, cause: cause)
    }

    /// The last step of every removal: the only place where a slot is given back and a cause
    /// counted.
    mutating func discard(_ entry: Entry, cause: RemovalCause) {
        for tag in 0..<entry.tagCount { floors.releaseTag(entry.tagID(tag)) }
        residentWeight -= weights.weight(of: entry)
        counters.count(cause)
        arena.give(arena.space.reference(entry), entry.blockBytes)
    }
}
