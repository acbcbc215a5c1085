/// The hash of the index inside a node: seeded per process, so that a client cannot choose keys
/// that collide.
///
/// It folds 128-bit products, sixteen bytes a step, after the manner of wyhash [1] with our own
/// constants. Its values mean nothing outside of the process: never stored, never sent.
///
/// [1] Wang Yi, wyhash, 2019 (public domain).
public struct KeyHasher: Sendable {
    /// Both factors of every product are mixed with the seed: a factor that a client could make
    /// zero would let it choose keys that collide.
    @usableFromInline package let secret1: UInt64
    @usableFromInline package let secret2: UInt64

    @inlinable
    package init(seed: UInt64) {
        secret1 = StableHash.mix(seed ^ 0xA076_1D64_78BD_642F)
        secret2 = StableHash.mix(seed ^ 0xE703_7ED1_A0B4_28DB)
    }

    /// The hash of `bytes` in room `room`.
    @inlinable
    package func hash(_ bytes: UnsafeRawBufferPointer, room: UInt64) -> UInt64 {
        var state = Self.fold(room ^ secret1, UInt64(bytes.count) ^ secret2)
        var offset = 0
        while bytes.count &- offset > 16 {
            state = Self.fold(
                StableHash.word(bytes, offset) ^ secret1,
                StableHash.word(bytes, offset &+ 8) ^ state)
            offset &+= 16
        }
        let (low, high) = Self.tail(bytes, from: offset)
        return StableHash.mix(Self.fold(low ^ secret2, high ^ state) ^ state)
    }

    /// The last 0 to 16 bytes as two words.
    @inlinable
    package static func tail(
        _ bytes: UnsafeRawBufferPointer, from offset: Int
    ) -> (UInt64, UInt64) {
        let left = bytes.count &- offset
        if left >= 8 {
            return (StableHash.word(bytes, offset), StableHash.word(bytes, bytes.count &- 8))
        }
        if left >= 4 {
            let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 4, as: UInt32.self)
            return (UInt64(first), UInt64(last))
        }
        var low: UInt64 = 0
        for index in offset..<bytes.count { low = low << 8 | UInt64(bytes[index]) }
        return (low, UInt64(left))
    }

    @inlinable
    package static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
