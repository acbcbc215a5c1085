/// One of the 1 024 parts of an index: its ordered pages and its number of entries.
///
/// A part without entries has no page. A page has 16 buckets, so a part with entries has enough for
/// ``PartGeometry``.
struct IndexPart {
    static let bucketsPerPage = IndexPages.pageBytes / IndexBucket.bytes
    static let slotsPerPage = bucketsPerPage * IndexBucket.slotCount
    /// Average per page of a part; more makes the part grow. With eight slots per bucket nearly
    /// every entry would find one up to 99 %, but after long walks.
    static let entriesPerPageMax = 126
    /// The page list grows by so many, a cache line.
    private static let listStep = 8

    /// One page: its number, and which of its buckets are full. So a search for a free slot need
    /// not fetch full buckets.
    struct Page {
        var number: UInt32
        var full: UInt16
    }

    /// In order; uninitialized while `pageCount` is 0.
    private(set) var pages: UnsafeMutablePointer<Page>?
    private(set) var pageCount: UInt32 = 0
    var count: UInt32 = 0

    @inline(__always) var bucketCount: Int { Int(pageCount) &* Self.bucketsPerPage }
    var hasEnough: Bool { Int(count) >= Int(pageCount) * Self.entriesPerPageMax }
    var listBytes: Int { Self.listCapacity(Int(pageCount)) * MemoryLayout<Page>.stride }

    @inline(__always)
    private func page(at order: Int) -> UnsafeMutablePointer<Page> {
        guard let pages, order < pageCount else {
            preconditionFailure("a part's pages are asked for by their order")
        }
        return pages + order
    }

    @inline(__always)
    func page(_ order: Int) -> UInt32 { page(at: order).pointee.number }

    func setPage(_ order: Int, _ number: UInt32) { page(at: order).pointee.number = number }

    /// Whether a bucket has no empty slot.
    @inline(__always)
    func isFull(_ bucket: UInt64) -> Bool {
        let number = Int(truncatingIfNeeded: bucket)
        let full = page(at: number / Self.bucketsPerPage).pointee.full
        return full &>> UInt16(number % Self.bucketsPerPage) & 1 == 1
    }

    @inline(__always)
    func setFull(_ bucket: UInt64, _ isFull: Bool) {
        let number = Int(truncatingIfNeeded: bucket)
        let page = page(at: number / Self.bucketsPerPage)
        let bit: UInt16 = 1 &<< UInt16(number % Self.bucketsPerPage)
        if isFull { page.pointee.full |= bit } else { page.pointee.full &= ~bit }
    }

    /// Marks the buckets of a page as empty.
    func clearFull(_ order: Int) { page(at: order).pointee.full = 0 }

    mutating func append(_ number: UInt32) {
        resizeList(Int(pageCount) + 1)
        pageCount += 1
        setPage(Int(pageCount) - 1, number)
        clearFull(Int(pageCount) - 1)
    }

    mutating func removeLast() -> UInt32 {
        let page = page(Int(pageCount) - 1)
        resizeList(Int(pageCount) - 1)
        pageCount -= 1
        return page
    }

    /// Frees the list; the pages keep their owners.
    mutating func clear() {
        pages?.deallocate()
        self = IndexPart()
    }

    private static func listCapacity(_ pageCount: Int) -> Int {
        (pageCount + listStep - 1) / listStep * listStep
    }

    private mutating func resizeList(_ pageCountNext: Int) {
        let capacity = Self.listCapacity(pageCountNext)
        guard capacity != Self.listCapacity(Int(pageCount)) else { return }
        guard capacity > 0 else {
            pages?.deallocate()
            pages = nil
            return
        }
        let list = UnsafeMutablePointer<Page>.allocate(capacity: capacity)
        list.initialize(repeating: Page(number: 0, full: 0), count: capacity)
        if let pages {
            list.update(from: pages, count: min(Int(pageCount), pageCountNext))
            pages.deallocate()
        }
        pages = list
    }
}
