package import CacheModel

extension MemoryTier {
    /// Shows every visible entry of the next `bucketLimit` buckets to `body`.
    ///
    /// The cursor is a hash, and buckets stand in the order of hashes also after the index has
    /// doubled: a key that is there from the first call to the last is shown exactly once.
    ///
    /// - Parameter cursor: 0 to begin; then what the last call returned.
    /// - Returns: Where to go on, or `nil` at the end.
    package mutating func scan(
        from cursor: UInt64, bucketLimit: Int, now: Instant, _ body: (EntryView) -> Void
    ) -> UInt64? {
        precondition(bucketLimit > 0, "a scan that takes no bucket does not end")
        var next: UInt64? = cursor
        for _ in 0..<bucketLimit {
            guard let position = next else { break }
            collectBucket(at: position)
            for entry in scratch where check(entry, now: now) == nil {
                body(view(of: entry))
            }
            next = index.cursor(after: position)
        }
        return next
    }

    /// Fills the scratch with the entries of the bucket in which hash `position` is at home.
    mutating func collectBucket(at position: UInt64) {
        scratch.removeAll(keepingCapacity: true)
        index.collect(home: index.homeIndex(position), into: &scratch)
    }
}

extension EntryIndex {
    /// The home bucket of hashes like `position`.
    func homeIndex(_ position: UInt64) -> Int {
        Int(truncatingIfNeeded: position >> UInt64(64 - bits))
    }

    /// The least hash of the bucket after the one of `position`; `nil` after the last.
    func cursor(after position: UInt64) -> UInt64? {
        let next = homeIndex(position) + 1
        return next < bucketCount ? UInt64(next) << UInt64(64 - bits) : nil
    }
}
