import CMemory

/// Buckets in one range of addresses, numbered from zero: appended at the end, or used again.
struct BucketRange: ~Copyable {
    private let range: AddressRange
    private(set) var count = 0
    /// The number of a free bucket, which names the next in its overflow; zero for none.
    private var firstFree = 0
    private(set) var freeCount = 0
    /// Buckets from here on take no memory.
    private var touchedCount = 0
    private static let perHugePage = 2 << 20 / EntryIndex.bucketBytes
    /// Least number of buckets at the end whose memory is given back.
    private static let unusedMax = 2 * perHugePage
    /// Buckets for which ordinary pages do: a small index takes no more than it needs, and in a
    /// larger one the rest of the last huge page hardly counts.
    private static let ordinaryCount = 2 * perHugePage

    init(bucketsMax: Int) {
        range = AddressRange(byteCount: bucketsMax * EntryIndex.bucketBytes)
    }

    @inline(__always)
    func bucket(_ number: Int) -> Bucket {
        Bucket(base: range.base + number &* EntryIndex.bucketBytes)
    }

    /// An empty bucket's number.
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

    /// Asks for a huge page for the next buckets: one look-up instead of 512 for the processor.
    private func preferHugePage() {
        let start = count * EntryIndex.bucketBytes
        let length = min(Self.perHugePage * EntryIndex.bucketBytes, range.byteCount - start)
        cache_prefer_huge_pages(range.base + start, length)
    }

    /// Gives a bucket other than the first back, to be used again.
    mutating func free(_ number: Int) {
        bucket(number).overflow = UInt32(firstFree)
        firstFree = number
        freeCount += 1
    }

    /// Takes the last bucket away; only of a range in which none was freed.
    mutating func removeLast() {
        precondition(freeCount == 0, "a range is shortened or reused, not both")
        count -= 1
        if touchedCount - count >= Self.unusedMax { giveBackEnd() }
    }

    /// Gives the memory behind the last bucket back, but for less than a huge page of it.
    private mutating func giveBackEnd() {
        let hugePage = Self.perHugePage
        let keptCount = (count / hugePage + 1) * hugePage
        let start = keptCount * EntryIndex.bucketBytes
        let end = (touchedCount / hugePage + 1) * hugePage * EntryIndex.bucketBytes
        cache_give_back(range.base + start, min(end, range.byteCount) - start)
        touchedCount = keptCount
    }
}
