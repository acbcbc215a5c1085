extension EntryIndex {
    /// Doubles the array and moves every entry: the one long step of a store.
    ///
    /// - Complexity: O(entries), each read once.
    mutating func grow() {
        let old = buckets
        let oldCount = bucketCount
        var entries: [Entry] = []
        bits += 1
        buckets = Self.allocateBuckets(1 << bits)
        for index in 0..<oldCount {
            let bucket = old + index * Self.wordsPerBucket
            entries.removeAll(keepingCapacity: true)
            Self.forEachEntry(in: bucket) { entries.append($0) }
            overflowCount -= Self.freeOverflow(of: bucket)
            for entry in entries { place(entry) }
        }
        old.deallocate()
    }

    /// Shortens the chain of one home bucket, where removals left more buckets than it needs.
    mutating func tidy(home index: Int) {
        let bucket = buckets + index * Self.wordsPerBucket
        guard Self.next(bucket) != nil else { return }
        var entries: [Entry] = []
        var length = 0
        Self.forEachEntry(in: bucket) { entries.append($0) }
        var link = Self.next(bucket)
        while let current = link {
            length += 1
            link = Self.next(current)
        }
        guard entries.count <= length * Self.slotsPerBucket else { return }
        overflowCount -= Self.freeOverflow(of: bucket)
        bucket.update(repeating: 0, count: Self.wordsPerBucket)
        for entry in entries { place(entry) }
    }

    /// Frees the chain that hangs on `bucket`, which still names it afterwards; answers with how
    /// many buckets that were.
    static func freeOverflow(of bucket: UnsafeMutablePointer<UInt64>) -> Int {
        var freedCount = 0
        var link = next(bucket)
        while let current = link {
            link = next(current)
            current.deallocate()
            freedCount += 1
        }
        return freedCount
    }

    static func forEachEntry(
        in bucket: UnsafeMutablePointer<UInt64>, _ body: (Entry) -> Void
    ) {
        var link: UnsafeMutablePointer<UInt64>? = bucket
        while let current = link {
            for slot in 0..<slotsPerBucket {
                if let entry = entry(in: current[slot]) { body(entry) }
            }
            link = next(current)
        }
    }
}
