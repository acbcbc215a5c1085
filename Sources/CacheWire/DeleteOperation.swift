public import ByteCoding

/// One removal inside a DELETE, as a view into its frame.
///
///     offset  size  field
///          0     2  keyBytes   1 … 4 096
///          2     2  options    reserved: zero
///          4     …  key
public struct DeleteOperation {
    @usableFromInline package var key: UnsafeRawBufferPointer

    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let keyBytes = Int(try reader.next(UInt16.self))
        guard try reader.next(UInt16.self) == 0 else { throw .reserved }
        key = try reader.take(keyBytes)
    }

    /// Appends one removal to the body of a DELETE.
    package static func append(key: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
        writer.append(UInt16(key.count))
        writer.append(UInt16(0))
        writer.append(key)
    }
}
