import ByteCoding

/// The eight characters a file of the log begins with; the last is the number of its format.
enum StoredMagic {
    /// Whether the bytes begin with the same seven characters and a greater digit.
    static func isLater(_ bytes: UnsafeRawBufferPointer, than magic: UInt64) -> Bool {
        guard bytes.count >= 8 else { return false }
        let found = StableHash.word(bytes, 0)
        let digits = magic >> 56 + 1...UInt64(UInt8(ascii: "9"))
        return found << 8 == magic << 8 && digits.contains(found >> 56)
    }
}
