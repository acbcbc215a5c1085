/// A bounded cursor over bytes that it does not own.
///
/// This module reads and writes little-endian integers and hashes bytes; it knows no message and
/// no cache. Everything here sits on the hot path and is inlined into its caller: the types are
/// `public` so that `@inlinable package` members work across modules (docs/decisions/0001), but
/// no product exports the module.
///
/// A read past the end throws ``CodingDamage`` and moves nothing. The reader never allocates, so a
/// length that was read must be bounded by the remaining bytes before an allocation: ``bytes(_:)``
/// does that by construction.
///
/// The buffer must stay valid for as long as the reader, and the slices it returns, are used.
public struct ByteReader {
    @usableFromInline package let buffer: UnsafeRawBufferPointer
    @usableFromInline package var offset: Int

    @inlinable
    package init(_ buffer: UnsafeRawBufferPointer) {
        self.buffer = buffer
        offset = 0
    }

    /// Bytes not read yet.
    @inlinable
    package var remainingBytes: Int { buffer.count &- offset }

    @inlinable
    package var isAtEnd: Bool { offset == buffer.count }

    /// The next little-endian integer.
    @inlinable @inline(__always)
    package mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(CodingDamage) -> Value {
        let size = MemoryLayout<Value>.size
        guard remainingBytes >= size else {
            throw CodingDamage(neededBytes: size, foundBytes: remainingBytes)
        }
        let value = buffer.loadUnaligned(fromByteOffset: offset, as: Value.self)
        offset &+= size
        return Value(littleEndian: value)
    }

    /// The next `count` bytes, not copied.
    @inlinable @inline(__always)
    package mutating func bytes(_ count: Int) throws(CodingDamage) -> UnsafeRawBufferPointer {
        guard count >= 0, remainingBytes >= count else {
            throw CodingDamage(neededBytes: count, foundBytes: remainingBytes)
        }
        let slice = UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset &+ count)])
        offset &+= count
        return slice
    }
}
