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

/// One new time to live inside a TOUCH, as a view into its frame.
///
///     offset  size  field
///          0     2  keyBytes   1 … 4 096
///          2     6  reserved
///          8     8  ttl        milliseconds, as in SET
///         16     …  key
public struct TouchOperation {
    @usableFromInline package var key: UnsafeRawBufferPointer
    @usableFromInline package var timeToLive: UInt64

    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let keyBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(6)
        timeToLive = try reader.next(UInt64.self)
        key = try reader.take(keyBytes)
    }

    /// Appends one new time to live to the body of a TOUCH.
    package static func append(
        key: UnsafeRawBufferPointer, timeToLive: UInt64, to writer: inout ByteWriter
    ) {
        writer.append(UInt16(key.count))
        writer.append(zeros: 6)
        writer.append(timeToLive)
        writer.append(key)
    }
}

/// One part of a value that is sent ahead of its SET, as a view into its frame.
///
///     offset  size  field
///          0     8  uploadID     not 0
///          8     4  totalBytes   524 289 … 67 108 864
///         12     4  offset
///         16     4  chunkBytes   1 … 524 288
///         20     4  reserved
///         24     …  bytes
public struct ChunkOperation {
    @usableFromInline package var uploadID: UInt64
    @usableFromInline package var totalBytes: Int
    @usableFromInline package var offset: Int
    @usableFromInline package var bytes: UnsafeRawBufferPointer

    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        uploadID = try reader.next(UInt64.self)
        totalBytes = Int(try reader.next(UInt32.self))
        offset = Int(try reader.next(UInt32.self))
        let chunkBytes = Int(try reader.next(UInt32.self))
        try reader.reserved(4)
        bytes = try reader.take(chunkBytes)
        guard uploadID != 0, (1...WireLimits.chunkBytesMax).contains(chunkBytes),
            totalBytes <= WireLimits.valueBytesMax, offset + chunkBytes <= totalBytes
        else {
            throw WireRefusal(.outOfRange, "a chunk does not fit the value it is part of")
        }
    }

    /// Appends a chunk as the body of a CHUNK.
    package static func append(
        uploadID: UInt64, totalBytes: Int, offset: Int, bytes: UnsafeRawBufferPointer,
        to writer: inout ByteWriter
    ) {
        writer.append(uploadID)
        writer.append(UInt32(totalBytes))
        writer.append(UInt32(offset))
        writer.append(UInt32(bytes.count))
        writer.append(UInt32(0))
        writer.append(bytes)
    }
}
