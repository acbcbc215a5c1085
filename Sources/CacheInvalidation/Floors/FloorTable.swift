import ByteCoding
import CacheModel

/// 2^22 sequence numbers of 48 bits, all of them 0 at first.
///
/// They lie in pages of 1 024 that take memory once one of them rises, 24 MiB at most. A copy of
/// the table shares its pages until one of the two changes.
struct FloorTable: Hashable, Sendable {
    /// 6 KiB: each number is three words, the lowest first.
    private struct Page: Hashable, Sendable {
        var newest: UInt64 = 0
        var words = [UInt16](repeating: 0, count: 3 * FloorTable.bucketsPerPage)

        subscript(index: Int) -> UInt64 {
            let word = 3 &* index
            return UInt64(words[word]) | UInt64(words[word &+ 1]) << 16
                | UInt64(words[word &+ 2]) << 32
        }

        mutating func raise(_ index: Int, to sequence: UInt64) {
            guard sequence > self[index] else { return }
            let word = 3 &* index
            words[word] = UInt16(truncatingIfNeeded: sequence)
            words[word &+ 1] = UInt16(truncatingIfNeeded: sequence &>> 16)
            words[word &+ 2] = UInt16(truncatingIfNeeded: sequence &>> 32)
            newest = max(newest, sequence)
        }
    }

    static let bucketsPerPage = 1_024
    static let pageCount = FloorBuckets.count / bucketsPerPage

    private var pages = [Page?](repeating: nil, count: pageCount)

    subscript(bucket: Int) -> SequenceNumber {
        SequenceNumber(pages[bucket / Self.bucketsPerPage]?[bucket % Self.bucketsPerPage] ?? 0)
    }

    /// Raises one bucket, unless it is higher.
    mutating func raise(_ bucket: Int, to sequence: SequenceNumber) {
        let (page, index) = bucket.quotientAndRemainder(dividingBy: Self.bucketsPerPage)
        if pages[page] == nil { pages[page] = Page() }
        pages[page]?.raise(index, to: sequence.rawValue)
    }

    /// Raises each bucket to what it is in another table.
    ///
    /// - Complexity: O(buckets in use by both).
    mutating func raise(to other: FloorTable) {
        for page in pages.indices {
            guard let theirs = other.pages[page] else { continue }
            if pages[page] == nil {
                pages[page] = theirs
                continue
            }
            for index in 0..<Self.bucketsPerPage where theirs[index] > 0 {
                pages[page]?.raise(index, to: theirs[index])
            }
        }
    }

    /// The buckets above a floor, in order, from one bucket on.
    ///
    /// - Parameters:
    ///   - entriesMax: how many are told at most.
    ///   - bucketsMax: how many are looked at at most, beside those in pages that have none above.
    /// - Returns: them, and the first bucket that was not looked at.
    func entries(
        from first: Int, above floor: SequenceNumber, entriesMax: Int, bucketsMax: Int
    ) -> (entries: [FloorEntry], next: Int) {
        var entries: [FloorEntry] = []
        var looked = 0
        var bucket = first
        while bucket < FloorBuckets.count, looked < bucketsMax {
            let (number, start) = bucket.quotientAndRemainder(dividingBy: Self.bucketsPerPage)
            let pageEnd = bucket - start + Self.bucketsPerPage
            guard let page = pages[number], page.newest > floor.rawValue else {
                bucket = pageEnd
                continue
            }
            while bucket < pageEnd {
                guard entries.count < entriesMax else { return (entries, bucket) }
                let sequence = page[bucket % Self.bucketsPerPage]
                if sequence > floor.rawValue {
                    entries.append(
                        FloorEntry(bucket: bucket, sequence: SequenceNumber(sequence)))
                }
                bucket += 1
                looked += 1
            }
        }
        return (entries, bucket)
    }
}
