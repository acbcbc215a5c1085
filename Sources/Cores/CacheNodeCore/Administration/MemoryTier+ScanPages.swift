import CacheMemory
import CacheModel
import CacheWire
import HeapModule

/// The slots to list keys of: what a shard lost is listed for the next owner alone.
enum SlotFilter {
    case all
    case only(SlotSet)
    case except(SlotSet)
}

/// Pages of SCAN.
extension MemoryTier {
    /// One page: a bounded number of buckets, and the matching entries in them.
    ///
    /// - Parameter slots: of the keys.
    /// - Returns: also the number of buckets and entries examined.
    mutating func scanPage(
        _ request: ScanRequest, in namespace: NamespaceNumber, of slots: SlotFilter,
        now: Instant
    ) -> (page: ScanPage, lookCount: Int) {
        var page = ScanPage(nextCursor: 0, entryCount: 0, entryBytes: 0)
        var cursor: UInt64? = request.cursor
        var budget = ShardLimits.scanBucketsPerPage
        var (bytes, lookCount) = (0, 0)
        while let from = cursor, budget > 0, page.lines.count < request.limit,
            bytes < WireLimits.frameBytesMax / 2
        {
            budget -= 1
            lookCount += 1
            cursor = scan(from: from, bucketLimit: 1, now: now) { entry, costBytes in
                lookCount += 1
                // A negative entry is counted, but its key is not listed.
                guard request.target.covers(entry, in: namespace),
                    request.isCountOnly || !entry.isNegative, entry.isOf(slots)
                else { return }
                page.entryCount += 1
                page.entryBytes += UInt64(costBytes)
                guard !request.isCountOnly, let key = CacheKey(bytes: [UInt8](entry.key)) else {
                    return
                }
                bytes += 16 + key.bytes.count
                page.lines.append(entry.line(key, now: now))
            }
        }
        page.nextCursor = cursor ?? 0
        return (page, lookCount)
    }

    /// One page of the entries that the eviction policy values most, approximately: a bounded
    /// number of buckets, and the hottest matching entries in them, hottest first. Negative, stale
    /// and hidden entries are left out.
    ///
    /// - Complexity: O(buckets + n log limit), n being how often a hotter one than those before is
    ///   found: their order is that of hashes, so that is about limit · log(matches ÷ limit).
    /// - Returns: also how many entries were examined, and buckets unless they were the last.
    mutating func hottestPage(
        _ request: ScanRequest, in namespace: NamespaceNumber, of slots: SlotFilter,
        now: Instant
    ) -> (page: ScanPage, lookCount: Int) {
        var page = ScanPage(nextCursor: 0, entryCount: 0, entryBytes: 0)
        var candidates = Heap<HotCandidate>()
        var (number, lookCount) = (0, 0)
        let next = scan(
            from: request.cursor, bucketLimit: ShardLimits.hottestBucketsPerPage, now: now
        ) { entry, costBytes in
            lookCount += 1
            guard request.target.covers(entry, in: namespace), !entry.isNegative,
                !entry.isSoft, !entry.isPastLifetime(at: now), entry.isOf(slots)
            else { return }
            page.entryCount += 1
            page.entryBytes += UInt64(costBytes)
            let isFull = candidates.count >= request.limit
            if isFull, let coldest = candidates.min, entry.heat <= coldest.line.heat { return }
            guard let key = CacheKey(bytes: [UInt8](entry.key)) else { return }
            if isFull { candidates.removeMin() }
            number += 1
            var line = entry.line(key, now: now)
            line.heat = entry.heat
            candidates.insert(HotCandidate(line: line, number: number))
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
}

/// The order of two candidates: the colder first; of two equally hot ones the later one.
private struct HotCandidate: Comparable {
    var line: ScanPage.Line
    var number: Int

    static func < (left: Self, right: Self) -> Bool {
        (left.line.heat, right.number) < (right.line.heat, left.number)
    }
}

extension EntryView {
    fileprivate func isOf(_ slots: SlotFilter) -> Bool {
        switch slots {
        case .all: true
        case .only(let set): set.contains(HashSlot(of: key))
        case .except(let set): !set.contains(HashSlot(of: key))
        }
    }

    fileprivate func line(_ key: CacheKey, now: Instant) -> ScanPage.Line {
        let left = ttlMilliseconds(at: now)
        return ScanPage.Line(
            key: key, valueBytes: value.count, ttlMilliseconds: left == .max ? nil : left)
    }
}

extension Scope.Target {
    /// - Parameter namespace: the number of the namespace that it names, if it names one.
    fileprivate func covers(_ entry: EntryView, in namespace: NamespaceNumber) -> Bool {
        switch self {
        case .everything: return true
        case .namespace: return entry.namespace == namespace
        case .key(let key, _):
            return entry.namespace == namespace && entry.key.elementsEqual(key.bytes)
        case .prefix(let prefix, _):
            return entry.namespace == namespace && entry.key.starts(with: prefix)
        case .tag(let tag, _):
            guard entry.namespace == namespace else { return false }
            var isTagged = false
            entry.forEachTag { if $0.elementsEqual(tag.bytes) { isTagged = true } }
            return isTagged
        }
    }
}
