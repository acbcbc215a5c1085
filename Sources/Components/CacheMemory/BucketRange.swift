import CMemory

/// Buckets in one address range, numbered from zero: appended at the end, or reused.
struct BucketRange: ~Copyable {
    private let range: AddressRange
    private(set) var count = 0
    /// The number of a free bucket, which links to the next one in its overflow field; zero for
    /// none.
    private var firstFree = 0
    private(set) var freeCount = 0
    /// Buckets from here on use no memory.
    private var touchedCount = 0
    private static let perHugePage = 2 << 20 / EntryIndex.bucketBytes
    /// Minimum number of buckets at the end for releasing their memory.
    private static let unusedMax = 2 * perHugePage
    /// Buckets that use ordinary pages: a small index takes no more than it needs, and in a larger
    /// one the unused part of the last huge page is negligible.
    private static let ordinaryCount = 2 * perHugePage

    init(bucketsMax: Int) {
        range = AddressRange(byteCount: bucketsMax * EntryIndex.bucketBytes)
    }

    @inline(__always)
    func bucket(_ number: Int) -> Bucket {
        Bucket(base: range.base + number &* EntryIndex.bucketBytes)
    }

    /// Returns the number of an empty bucket.
    mutating func append() -> Int {
        if firstFree != 0 {
            let number = firstFree
            firstFree = Int(bucket(number).overflow)
            freeCount -= 1
            bucket(number).clear()
            return number
        }
        precondition(
            (count + 1) * EntryIndex.bucketBytes <= range.byteCount,
            "buckets are reserved for more entries than fit the budget")
        if count >= Self.ordinaryCount, count % Self.perHugePage == 0 { preferHugePage() }
        bucket(count).clear()
        count += 1
        touchedCount = max(touchedCount, count)
        return count - 1
    }

    /// Requests a huge page for the next buckets: one TLB entry instead of 512.
    private func preferHugePage() {
        let start = count * EntryIndex.bucketBytes
        let length = min(Self.perHugePage * EntryIndex.bucketBytes, range.byteCount - start)
        cache_prefer_huge_pages(range.base + start, length)
    }

    /// Frees a bucket other than the first for reuse.
    mutating func free(_ number: Int) {
        bucket(number).overflow = UInt32(firstFree)
        firstFree = number
        freeCount += 1
    }

    /// Removes the last bucket; only for a range in which none was freed.
    mutating func removeLast() {
        precondition(freeCount == 0, "a range is shortened or reused, not both")
        count -= 1
        if touchedCount - count >= Self.unusedMax { giveBackEnd() }
    }

    /// Releases the memory behind the last bucket, except for less than a huge page.
    private mutating func giveBackEnd() {
        let hugePage = Self.perHugePage
        let keptCount = (count / hugePage + 1) * hugePage
        let start = keptCount * EntryIndex.bucketBytes
        let end = (touchedCount / hugePage + 1) * hugePage * EntryIndex.bucketBytes
        cache_give_back(range.base + start, min(end, range.byteCount) - start)
        touchedCount = keptCount
    }
}
