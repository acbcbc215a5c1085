import ByteCoding

/// Four bytes that guard what follows them.
package enum StoredChecksum {
    package static func of(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt32 {
        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
    }

    package static func read(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
