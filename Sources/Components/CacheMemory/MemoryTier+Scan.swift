package import CacheModel

extension MemoryTier {
    /// Calls `body` with every visible entry of the next `bucketLimit` buckets, and its charged
    /// bytes.
    ///
    /// The cursor is a position in the order of bit-reversed hashes, which is stable under growth
    /// of the index: a key that is present from the first call to the last is reported exactly
    /// once.
    ///
    /// - Parameter cursor: 0 to begin; then what the last call returned.
    /// - Returns: the next cursor, or `nil` at the end.
    package mutating func scan(
        from cursor: UInt64, bucketLimit: Int, now: Instant,
        _ body: (_ entry: EntryView, _ costBytes: Int) -> Void
    ) -> UInt64? {
        precondition(bucketLimit > 0, "the bucket limit is positive")
        var next: UInt64? = cursor
        for _ in 0..<bucketLimit {
            guard let position = next else { break }
            collect(bucket: index.homeNumber(at: position))
            // Buckets may have been joined since: those before the cursor were already reported.
            for entry in scratch
            where !index.isBefore(entry, cursor: position) && check(entry, now: now) == .visible {
                body(view(of: entry), weights.memory(block: entry.blockBytes))
            }
            next = index.cursor(after: position)
        }
        return next
    }

    /// Fills the scratch with the entries of a home bucket.
    mutating func collect(bucket number: Int) {
        scratch.removeAll(keepingCapacity: true)
        index.collect(number, into: &scratch)
    }
}
