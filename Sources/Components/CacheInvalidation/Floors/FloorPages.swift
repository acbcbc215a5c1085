import ByteCoding
import CacheModel

/// 2^22 sequence numbers of 48 bits, all of them 0 at first.
///
/// They lie in pages of 1 024 that take memory once one of them rises, 24 MiB at most. A copy of
/// the table shares its pages until one of the two changes.
struct FloorPages: Hashable, Sendable {
    /// 6 KiB: each number is three words, the lowest first.
    fileprivate struct Page: Hashable, Sendable {
        var newest: UInt64 = 0
        var words = [UInt16](repeating: 0, count: 3 * FloorPages.bucketsPerPage)

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
    /// Bytes of a page in a file: its checksum, its number, its words.
    static let storedPageBytes = 8 + 6 * bucketsPerPage
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

    /// Raises buckets, unless they are higher.
    mutating func raise(_ buckets: [Int], to sequence: SequenceNumber) {
        for bucket in buckets { raise(bucket, to: sequence) }
    }

    /// Raises each bucket to what it is in another table.
    ///
    /// - Complexity: O(buckets in use by both).
    mutating func raise(to other: FloorPages) {
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
    ///   - entriesMax: how many are returned at most.
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

// MARK: - Storing

extension FloorPages {
    var pagesInUse: Int { pages.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }

    /// Writes a page: nothing if it is not in use.
    func encode(_ number: Int, into writer: inout ByteWriter) {
        guard let page = pages[number] else { return }
        let start = writer.count
        writer.append(UInt32(0))
        writer.append(UInt32(number))
        for word in page.words { writer.append(word) }
        writer.patch(StoredChecksum.of(writer.bytes, from: start + 4), at: start)
    }

    /// Reads that many pages, which fill `bytes`; `nil` where one is damaged.
    init?(stored bytes: UnsafeRawBufferPointer, pages count: Int) {
        guard count <= Self.pageCount, bytes.count == count * Self.storedPageBytes else {
            return nil
        }
        for start in stride(from: 0, to: bytes.count, by: Self.storedPageBytes) {
            let stored = UnsafeRawBufferPointer(
                rebasing: bytes[start..<(start + Self.storedPageBytes)])
            let number = Int(StoredChecksum.read(stored, at: 4))
            guard StoredChecksum.read(stored, at: 0) == StoredChecksum.of(stored, from: 4),
                number < Self.pageCount, pages[number] == nil
            else { return nil }
            pages[number] = Page(stored: UnsafeRawBufferPointer(rebasing: stored[8...]))
        }
    }
}

extension FloorPages.Page {
    fileprivate init(stored bytes: UnsafeRawBufferPointer) {
        words = [UInt16](unsafeUninitializedCapacity: bytes.count / 2) { words, count in
            count = bytes.count / 2
            for index in 0..<count {
                let word = bytes.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
                words[index] = UInt16(littleEndian: word)
            }
        }
        for index in 0..<FloorPages.bucketsPerPage { newest = max(newest, self[index]) }
    }
}
