import CacheMemory
import CacheModel
import CacheWire
import HeapModule

/// The entries that the eviction policy values most, approximately: for a part of the table at a
/// time.
extension ShardCore {
    /// The order of two candidates: the colder first; of two equally hot ones the later one.
    private struct Candidate: Comparable {
        var line: ScanPage.Line
        var number: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.line.heat, right.number) < (right.line.heat, left.number)
        }
    }

    /// One page: a bounded number of buckets, and the hottest matching entries in them, hottest
    /// first. Negative, stale and hidden entries are left out.
    ///
    /// - Complexity: O(buckets + n log limit), n being how often a hotter one than those before is
    ///   found: their order is that of hashes, so that is about limit · log(matches ÷ limit).
    /// - Returns: also how many entries were examined, and buckets unless they were the last.
    mutating func hottest(
        _ request: ScanRequest, in namespace: NamespaceNumber, now: Instant
    ) -> (page: ScanPage, lookCount: Int) {
        var page = ScanPage(nextCursor: 0, entryCount: 0, entryBytes: 0)
        var candidates = Heap<Candidate>()
        var (number, lookCount) = (0, 0)
        let next = tier.scan(
            from: request.cursor, bucketLimit: ShardLimits.hottestBucketsPerPage, now: now
        ) { entry, costBytes in
            lookCount += 1
            guard Self.covers(request.target, entry, namespace), !entry.isNegative,
                !entry.isSoft, !entry.isPastLifetime(at: now)
            else { return }
            page.entryCount += 1
            page.entryBytes += UInt64(costBytes)
            let isFull = candidates.count >= request.limit
            if isFull, let coldest = candidates.min, entry.heat <= coldest.line.heat { return }
            guard let key = CacheKey(bytes: [UInt8](entry.key)) else { return }
            if isFull { candidates.removeMin() }
            number += 1
            candidates.insert(
                Candidate(line: Self.line(of: entry, key, now: now), number: number))
        }
        page.nextCursor = next ?? 0
        if next != nil { lookCount += ShardLimits.hottestBucketsPerPage }
        var bytes = 0
        while bytes < WireLimits.frameBytesMax / 2, let hottest = candidates.popMax() {
            bytes += 16 + hottest.line.key.bytes.count
            page.lines.append(hottest.line)
        }
        return (page, lookCount)
    }

    private static func line(
        of entry: EntryView, _ key: CacheKey, now: Instant
    ) -> ScanPage.Line {
        let left = entry.ttlMilliseconds(at: now)
        var line = ScanPage.Line(
            key: key, valueBytes: entry.value.count, ttlMilliseconds: left == .max ? nil : left)
        line.heat = entry.heat
        return line
    }
}
