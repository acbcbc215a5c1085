import CacheModel

extension MemoryTier {
    /// Takes an entry out of index and policy and frees it.
    mutating func remove(_ entry: Entry, cause: RemovalCause) {
        policy.remove(entry)
        index.remove(entry)
        discard(entry, cause: cause)
    }

    /// The last step of every removal: the only place where a block is freed and a cause counted.
    mutating func discard(_ entry: Entry, cause: RemovalCause) {
        for tag in 0..<Int(entry.head.pointee.tagCount) {
            floors.releaseTag(entry.tagID(tag))
        }
        residentBytes -= entry.costBytes
        counters.count(cause)
        entry.free()
    }
}
