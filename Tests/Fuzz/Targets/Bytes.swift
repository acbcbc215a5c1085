import ByteCoding

/// Bytes that are made right again after libFuzzer has changed them: behind a wrong checksum it
/// would never come any further.
extension [UInt8] {
    func number(at offset: Int, bytes width: Int) -> UInt64 {
        guard offset >= 0, offset + width <= count else { return 0 }
        return (0..<width).reduce(0) { $0 | UInt64(self[offset + $1]) << (8 * UInt64($1)) }
    }

    /// Writes a number, as far as there is room.
    mutating func put(_ number: some FixedWidthInteger, at offset: Int, bytes width: Int) {
        guard offset >= 0, offset + width <= count else { return }
        for byte in 0..<width {
            self[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
        }
    }

    mutating func put(_ text: String, at offset: Int) {
        guard offset + text.utf8.count <= count else { return }
        replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }

    /// Writes the checksum of a range, if both lie within.
    mutating func seal(_ range: Range<Int>, at offset: Int) {
        guard range.lowerBound >= 0, range.upperBound <= count else { return }
        let sum = self[range].withUnsafeBytes { CRC32C.checksum($0) }
        put(sum, at: offset, bytes: 4)
    }
}

/// What an encoder writes.
func written(_ encode: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(capacityBytes: 256)
    encode(&writer)
    return writer.array
}
