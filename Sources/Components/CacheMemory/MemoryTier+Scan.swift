package import CacheModel

extension MemoryTier {
    /// Shows every visible entry of the next `bucketLimit` buckets to `body`, and what it is
    /// charged.
    ///
    /// The cursor is a position in the order of bit-reversed hashes, in which buckets stand however
    /// far the index has grown: a key that is there from the first call to the last is shown
    /// exactly once.
    ///
    /// - Parameter cursor: 0 to begin; then what the last call returned.
    /// - Returns: Where to go on, or `nil` at the end.
    package mutating func scan(
        from cursor: UInt64, bucketLimit: Int, now: Instant,
        _ body: (_ entry: EntryView, _ costBytes: Int) -> Void
    ) -> UInt64? {
        precondition(bucketLimit > 0, "a scan that takes no bucket does not end")
        var next: UInt64? = cursor
        for _ in 0..<bucketLimit {
            guard let position = next else { break }
            collect(bucket: index.homeNumber(at: position))
            // Buckets may have been joined since: what lies before the cursor was shown then.
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
