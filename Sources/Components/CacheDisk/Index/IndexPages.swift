/// The memory of an index: pages of 1 KiB, numbered without gaps, and their owners.
///
///     slab 0   ┌ owners 2 KiB ┬ page 0 ┬ page 1 ┬ … ┬ page 511 ┐
///     slab 1   ├ owners 2 KiB ┼ page 512 ┬ …        └──────────┘
///
/// The allocator sees slabs of one size only, few and long-lived. Parts that grow by an eighth,
/// each in an array of its own, would leave holes a little too small for the next.
///
/// When a page is freed, the last one moves to its place, and the caller updates its owner. So at
/// most two slabs are not full, whatever was removed.
struct IndexPages: ~Copyable {
    static let pageBytes = 1 << pageShift
    private static let pageShift = 10
    private static let slabShift = 9
    static let pagesPerSlab = 1 << slabShift
    private static let ownersBytes = pagesPerSlab * MemoryLayout<UInt32>.stride
    static let slabBytes = ownersBytes + pagesPerSlab * pageBytes

    /// The owner of a page: the part, and the page's order in it.
    struct Owner: Equatable {
        private static let orderBits: UInt32 = 22

        let rawValue: UInt32

        init(rawValue: UInt32) { self.rawValue = rawValue }

        init(part: Int, order: Int) {
            precondition(order < 1 << Self.orderBits, "a part has fewer than 2^22 pages")
            rawValue = UInt32(part) << Self.orderBits | UInt32(order)
        }

        var part: Int { Int(rawValue >> Self.orderBits) }
        var order: Int { Int(rawValue & (1 << Self.orderBits - 1)) }
    }

    private var slabs: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var slabCount = 0
    private var slabCapacity = 16
    /// Pages in use: 0 to count − 1.
    private(set) var count = 0

    init() { slabs = .allocate(capacity: slabCapacity) }

    deinit {
        for slab in 0..<slabCount { slabs[slab].deallocate() }
        slabs.deallocate()
    }

    /// All allocated bytes.
    var memoryBytes: Int {
        slabCount * Self.slabBytes
            + slabCapacity * MemoryLayout<UnsafeMutableRawPointer>.stride
    }

    /// - Precondition: `page` is in use.
    @inline(__always)
    func address(_ page: UInt32) -> UnsafeMutableRawPointer {
        let number = Int(page)
        precondition(number < count, "a part's page is in use")
        let offset = (number & (Self.pagesPerSlab &- 1)) &<< Self.pageShift
        return slabs[number &>> Self.slabShift] + (Self.ownersBytes &+ offset)
    }

    func owner(_ page: UInt32) -> Owner { Owner(rawValue: ownerAddress(page).pointee) }

    /// Allocates a page with arbitrary content.
    mutating func take(for owner: Owner) -> UInt32 {
        if count == slabCount * Self.pagesPerSlab { addSlab() }
        let page = UInt32(count)
        count += 1
        ownerAddress(page).pointee = owner.rawValue
        return page
    }

    /// Frees a page, and moves the last one to its place.
    ///
    /// - Returns: the owner of the page that has this number now; `nil` if it was the last itself.
    mutating func giveBack(_ page: UInt32) -> Owner? {
        let last = UInt32(count - 1)
        precondition(page <= last, "only a page in use is given back")
        var moved: Owner?
        if page != last {
            address(page).copyMemory(from: address(last), byteCount: Self.pageBytes)
            ownerAddress(page).pointee = ownerAddress(last).pointee
            moved = owner(page)
        }
        count -= 1
        // One empty slab is kept, so that alternating at its border costs nothing.
        while slabCount * Self.pagesPerSlab >= count + 2 * Self.pagesPerSlab
            || (count == 0 && slabCount > 0)
        {
            removeSlab()
        }
        return moved
    }

    mutating func removeAll() {
        count = 0
        while slabCount > 0 { removeSlab() }
    }

    private func ownerAddress(_ page: UInt32) -> UnsafeMutablePointer<UInt32> {
        let number = Int(page)
        precondition(number < count, "a page that has an owner is in use")
        let owners = slabs[number >> Self.slabShift].assumingMemoryBound(to: UInt32.self)
        return owners + number % Self.pagesPerSlab
    }

    private mutating func addSlab() {
        if slabCount == slabCapacity { resizeTable(2 * slabCapacity) }
        let slab = UnsafeMutableRawPointer.allocate(
            byteCount: Self.slabBytes, alignment: IndexBucket.bytes)
        slab.bindMemory(to: UInt32.self, capacity: Self.pagesPerSlab)
        slabs[slabCount] = slab
        slabCount += 1
    }

    private mutating func removeSlab() {
        slabCount -= 1
        slabs[slabCount].deallocate()
    }

    private mutating func resizeTable(_ capacity: Int) {
        let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: capacity)
        larger.update(from: slabs, count: slabCount)
        slabs.deallocate()
        slabs = larger
        slabCapacity = capacity
    }
}
