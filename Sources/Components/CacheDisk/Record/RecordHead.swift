/// The first bytes of a record, decoded. docs/disk-format.md specifies them.
struct RecordHead {
    /// Of an entry.
    static let bytes = 28
    /// Of a whole tombstone or reset.
    static let shortBytes = 16

    var checksum: UInt32
    /// Value bytes, kind, flags.
    var word: UInt32

    var valueBytes: Int { Int(word & Self.valueMask) }
    var kind: RecordKind? { RecordKind(rawValue: UInt8(word >> 27 & 7)) }
    var isUnfenced: Bool { word & Self.unfenced != 0 }
    var isSoft: Bool { word & Self.soft != 0 }

    static let valueMask: UInt32 = 1 << 27 - 1
    static let unfenced: UInt32 = 1 << 30
    static let soft: UInt32 = 1 << 31

    static func word(_ kind: RecordKind) -> UInt32 { UInt32(kind.rawValue) << 27 }

    /// In the second word, above the key's length.
    struct Sections: OptionSet {
        let rawValue: UInt16
        static let namespace = Sections(rawValue: 1 << 12)
        static let version = Sections(rawValue: 1 << 13)
        static let tags = Sections(rawValue: 1 << 14)
        static let validator = Sections(rawValue: 1 << 15)

        /// Explicit because the generic version costs a debug build several calls.
        func contains(_ other: Sections) -> Bool { rawValue & other.rawValue == other.rawValue }
    }

    static let keyMask: UInt16 = 1 << 12 - 1

    /// In the byte of the tag count.
    static let tagCountMask: UInt8 = 0x7F
    /// In the same byte: a representation follows the tags.
    static let described: UInt8 = 0x80

    /// - Parameter bytes: at least eight.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        checksum = UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        word = UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
    }
}
