public import ByteCoding
public import CacheModel

/// One removal inside a DELETE, as a view into its frame.
///
///     offset  size  field
///          0     2  keyBytes   1 … 4 096
///          2     2  options    reserved: zero
///          4     …  key
public struct DeleteOperation {
    @usableFromInline package var key: UnsafeRawBufferPointer

    /// Whether the key's length is within bounds; if not, refuse this operation.
    @inlinable
    package var isKeyValid: Bool { key.count >= 1 && key.count <= CacheKey.bytesMax }

    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let keyBytes = Int(try reader.next(UInt16.self))
        guard try reader.next(UInt16.self) == 0 else { throw .reserved }
        key = try reader.take(keyBytes)
    }

    package static func append(key: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
        writer.append(UInt16(key.count))
        writer.append(UInt16(0))
        writer.append(key)
    }
}
