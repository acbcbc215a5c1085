package import CacheModel
import ByteCoding

/// The contents of a value of a verified run.
///
///     CRC-32C of the rest   u32
///     key number            u32
///     version << 24 | run   u64
///     filler                any number of bytes
///
/// All little-endian. The checksum covers the filler. So it detects a value that was truncated,
/// mixed with another or changed in any byte, except for one in 2^32.
package struct VerifiedValue: Hashable, Sendable {
    /// Shortest value.
    package static let bytesMin = 16
    /// Greatest possible version.
    package static let versionMax = Version(1 << 40 - 1)

    package let key: Int
    package let version: Version
    package let run: RunStamp

    /// - Precondition: the key's number has 32 bits, the version 40.
    package init(key: Int, version: Version, run: RunStamp) {
        precondition((0...Int(UInt32.max)).contains(key), "a key's number has 32 bits")
        precondition(version <= Self.versionMax, "a version has 40 bits")
        self.key = key
        self.version = version
        self.run = run
    }

    /// Decodes `bytes`.
    ///
    /// - Returns: `nil` if they are too few, or the checksum differs.
    /// - Complexity: O(bytes), about ten in a nanosecond; nothing is copied.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.bytesMin,
            UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
                == CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[4...]))
        else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let number = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        key = Int(UInt32(littleEndian: number))
        version = Version(word >> 24)
        run = RunStamp(word)
    }

    /// Writes the value, and fills the rest with bytes that follow from it.
    ///
    /// - Precondition: there is room for at least ``bytesMin`` bytes.
    package func write(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.bytesMin, "a verified value has at least 16 bytes")
        let word = version.rawValue << 24 | UInt64(run.rawValue)
        bytes.storeBytes(of: UInt32(key).littleEndian, toByteOffset: 4, as: UInt32.self)
        bytes.storeBytes(of: word.littleEndian, toByteOffset: 8, as: UInt64.self)
        fill(bytes, seed: StableHash.mix(word ^ UInt64(key) << 32))
        let checksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[4...]))
        bytes.storeBytes(of: checksum.littleEndian, as: UInt32.self)
    }

    private func fill(_ bytes: UnsafeMutableRawBufferPointer, seed: UInt64) {
        var offset = Self.bytesMin
        while bytes.count &- offset >= 8 {
            bytes.storeBytes(
                of: (seed &+ UInt64(offset)).littleEndian, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < bytes.count {
            bytes[offset] = UInt8(truncatingIfNeeded: seed >> UInt64(8 * (offset & 7)))
            offset &+= 1
        }
    }
}
