/// Comparison of bytes in raw memory.
enum Bytes {
    /// Eight bytes at a time, the last eight overlapping.
    @inline(__always)
    static func areEqual(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Bool {
        let count = lhs.count
        guard count == rhs.count, let left = lhs.baseAddress, let right = rhs.baseAddress else {
            return false
        }
        if count < 8 {
            for offset in 0..<count {
                let same =
                    left.load(fromByteOffset: offset, as: UInt8.self)
                    == right.load(fromByteOffset: offset, as: UInt8.self)
                if !same { return false }
            }
            return true
        }
        var offset = 0
        while offset &+ 8 < count {
            if !areWordsEqual(left, right, at: offset) { return false }
            offset &+= 8
        }
        return areWordsEqual(left, right, at: count &- 8)
    }

    @inline(__always)
    private static func areWordsEqual(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, at offset: Int
    ) -> Bool {
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
