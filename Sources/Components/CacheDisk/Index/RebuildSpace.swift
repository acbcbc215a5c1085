/// Scratch memory for rebuilding a part.
///
/// It is reused, as large as the largest part so far: allocations of varying sizes would fragment
/// the heap.
struct RebuildSpace: ~Copyable {
    /// Buckets of the old part.
    private(set) var bucketCount = 0
    private var buckets = Room()
    private var beginningRoom = Room()
    private var fillRoom = Room()

    /// All allocated bytes.
    var memoryBytes: Int { buckets.capacity + beginningRoom.capacity + fillRoom.capacity }

    mutating func removeAll() {
        bucketCount = 0
        buckets = Room()
        beginningRoom = Room()
        fillRoom = Room()
    }

    /// Copies a part.
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

    /// The least hash of each copied bucket: computed once, as it needs a division.
    var beginnings: UnsafeBufferPointer<UInt32> {
        UnsafeBufferPointer(
            start: beginningRoom.base.assumingMemoryBound(to: UInt32.self), count: bucketCount)
    }

    /// The number of used slots of each new bucket, from the lowest on: all zero at first.
    mutating func fills(bucketCountNext: Int) -> UnsafeMutableBufferPointer<UInt8> {
        fillRoom.reserve(bucketCountNext)
        fillRoom.base.initializeMemory(as: UInt8.self, repeating: 0, count: bucketCountNext)
        return UnsafeMutableBufferPointer(
            start: fillRoom.base.assumingMemoryBound(to: UInt8.self), count: bucketCountNext)
    }

    /// A buffer that loses its content when it grows.
    private struct Room: ~Copyable {
        private(set) var capacity = IndexPages.pageBytes
        private(set) var base = UnsafeMutableRawPointer.allocate(
            byteCount: IndexPages.pageBytes, alignment: IndexBucket.bytes)

        deinit { base.deallocate() }

        mutating func reserve(_ bytes: Int) {
            guard bytes > capacity else { return }
            base.deallocate()
            // A quarter more, so that a part growing by an eighth does not reallocate each time.
            capacity = bytes + bytes / 4
            base = .allocate(byteCount: capacity, alignment: IndexBucket.bytes)
        }
    }
}
