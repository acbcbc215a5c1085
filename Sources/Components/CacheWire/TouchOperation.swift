public import ByteCoding
public import CacheModel

/// One new time to live inside a TOUCH, as a view into its frame.
///
///     offset  size  field
///          0     2  keyBytes   1 … 4 096
///          2     6  reserved
///          8     8  ttl        milliseconds, as in SET
///         16     …  key
public struct TouchOperation {
    @usableFromInline package var key: UnsafeRawBufferPointer
    /// Milliseconds; see ``SetOperation/ttlDefault`` and ``SetOperation/ttlNever``.
    @usableFromInline package var timeToLive: UInt64

    /// The limit that this operation violates, if any: refuse it, and serve the others.
    @inlinable
    package var problem: StaticString? {
        if key.count < 1 || key.count > CacheKey.bytesMax { return "a key has 1 to 4096 bytes" }
        if timeToLive != .max && timeToLive > WireLimits.timeToLiveMax {
            return WireLimits.timeToLiveProblem
        }
        return nil
    }

    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let keyBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(6)
        timeToLive = try reader.next(UInt64.self)
        key = try reader.take(keyBytes)
    }

    package static func append(
        key: UnsafeRawBufferPointer, timeToLive: UInt64, to writer: inout ByteWriter
    ) {
        writer.append(UInt16(key.count))
        writer.append(zeros: 6)
        writer.append(timeToLive)
        writer.append(key)
    }
}
