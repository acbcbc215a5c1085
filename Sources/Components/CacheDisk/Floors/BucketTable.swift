/// One floor per bucket, six bytes each. Allocates nothing until the first is raised.
struct BucketTable: Equatable, Sendable {
    static let floorBytes = 6

    let count: Int
    /// As stored: 48 bits each, little-endian.
    private(set) var bytes: [UInt8] = []
    /// The number of raised buckets.
    private(set) var raisedCount = 0

    init(count: Int) { self.count = count }

    func floor(of bucket: Int) -> UInt64 {
        guard !bytes.isEmpty else { return 0 }
        let offset = bucket * Self.floorBytes
        return bytes.withUnsafeBytes {
            UInt64(StoredInteger.read($0, at: offset, as: UInt32.self))
                | UInt64(StoredInteger.read($0, at: offset + 4, as: UInt16.self)) << 32
        }
    }

    mutating func raise(_ bucket: Int, to floor: UInt64) {
        let before = self.floor(of: bucket)
        guard floor > before else { return }
        if before == 0 { raisedCount += 1 }
        if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: count * Self.floorBytes) }
        bytes.withUnsafeMutableBytes {
            var cursor = RecordCursor($0)
            cursor.offset = bucket * Self.floorBytes
            cursor.put48(floor)
        }
    }

    /// Replaces the table by a stored one.
    mutating func replace(with stored: UnsafeRawBufferPointer) {
        precondition(stored.count == count * Self.floorBytes, "a table has all its buckets")
        bytes = [UInt8](stored)
        raisedCount = (0..<count).count { floor(of: $0) > 0 }
    }

    /// - Complexity: O(buckets).
    var highest: UInt64 { (0..<count).reduce(0) { max($0, floor(of: $1)) } }

    mutating func removeAll() { self = BucketTable(count: count) }

    func forEachRaised(_ body: (_ bucket: Int, _ floor: UInt64) -> Void) {
        guard raisedCount > 0 else { return }
        for bucket in 0..<count {
            let floor = floor(of: bucket)
            if floor > 0 { body(bucket, floor) }
        }
    }
}
