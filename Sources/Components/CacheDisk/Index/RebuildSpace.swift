/// Where a part's buckets lie while it is built anew, and what makes that quick.
///
/// It is kept from one time to the next, as large as the largest part asked for: an allocation of
/// another size each time would leave holes in the heap.
struct RebuildSpace: ~Copyable {
    /// Of the part as it was.
    private(set) var bucketCount = 0
    private var buckets = Room()
    private var beginningRoom = Room()
    private var fillRoom = Room()

    /// All that is allocated.
    var memoryBytes: Int { buckets.capacity + beginningRoom.capacity + fillRoom.capacity }

    mutating func removeAll() {
        bucketCount = 0
        buckets = Room()
        beginningRoom = Room()
        fillRoom = Room()
    }

    /// Takes a copy of a part.
    mutating func copy(_ part: IndexPart, _ pages: borrowing IndexPages) {
        bucketCount = part.bucketCount
        buckets.reserve(bucketCount * IndexBucket.bytes)
        beginningRoom.reserve(bucketCount * MemoryLayout<UInt32>.stride)
        for order in 0..<Int(part.pageCount) {
            (buckets.base + order * IndexPages.pageBytes).copyMemory(
                from: pages.address(part.page(order)), byteCount: IndexPages.pageBytes)
        }
        guard bucketCount > 0 else { return }
        let geometry = PartGeometry(bucketCount: bucketCount)
        let beginnings = beginningRoom.base.bindMemory(to: UInt32.self, capacity: bucketCount)
        for number in 0..<bucketCount {
            beginnings[number] = UInt32(geometry.beginning(of: UInt64(number)))
        }
    }

    @inline(__always)
    func bucket(_ number: Int) -> IndexBucket {
        precondition(number < bucketCount, "a bucket of the copy")
        return IndexBucket(base: buckets.base + number &* IndexBucket.bytes)
    }

    /// The least hash of each copied bucket: a division each, so it is done once.
    var beginnings: UnsafeBufferPointer<UInt32> {
        UnsafeBufferPointer(
            start: beginningRoom.base.assumingMemoryBound(to: UInt32.self), count: bucketCount)
    }

    /// How many slots of each new bucket are taken, from the lowest on: all zero at first.
    mutating func fills(bucketCountNext: Int) -> UnsafeMutableBufferPointer<UInt8> {
        fillRoom.reserve(bucketCountNext)
        fillRoom.base.initializeMemory(as: UInt8.self, repeating: 0, count: bucketCountNext)
        return UnsafeMutableBufferPointer(
            start: fillRoom.base.assumingMemoryBound(to: UInt8.self), count: bucketCountNext)
    }

    /// Memory of which what was in it is lost when it has to be larger.
    private struct Room: ~Copyable {
        private(set) var capacity = IndexPages.pageBytes
        private(set) var base = UnsafeMutableRawPointer.allocate(
            byteCount: IndexPages.pageBytes, alignment: IndexBucket.bytes)

        deinit { base.deallocate() }

        mutating func reserve(_ bytes: Int) {
            guard bytes > capacity else { return }
            base.deallocate()
            // A quarter more: a part that grows an eighth at a time does not ask each time.
            capacity = bytes + bytes / 4
            base = .allocate(byteCount: capacity, alignment: IndexBucket.bytes)
        }
    }
}
