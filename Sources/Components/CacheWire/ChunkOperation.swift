package import ByteCoding

/// One part of a value that is sent before its SET, as a view into its frame.
///
///     offset  size  field
///          0     8  uploadID     not 0
///          8     4  totalBytes   1 … 67 108 864
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
    }

    /// Whether the chunk fits its value; if not, refuse it.
    package var isValid: Bool {
        uploadID != 0 && (1...WireLimits.chunkBytesMax).contains(bytes.count)
            && totalBytes <= WireLimits.valueBytesMax && offset + bytes.count <= totalBytes
    }

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
