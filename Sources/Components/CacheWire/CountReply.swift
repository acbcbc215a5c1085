package import ByteCoding

/// COUNTED: the entries of one shard that the scopes of a COUNT cover.
///
///     body: entries 8, bytes 8, options 1 (1 at most), reserved 7
public struct CountReply: Hashable, Sendable {
    package var entryCount: UInt64
    /// Charged bytes of the entries.
    package var entryBytes: UInt64
    /// An upper bound: the count includes entries that are already hidden, or are of another scope.
    package var isAtMost: Bool

    package init(entryCount: UInt64, entryBytes: UInt64, isAtMost: Bool) {
        self.entryCount = entryCount
        self.entryBytes = entryBytes
        self.isAtMost = isAtMost
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.counted, requestID: requestID, into: &writer)
        writer.append(entryCount)
        writer.append(entryBytes)
        writer.append(UInt8(isAtMost ? 1 : 0))
        writer.append(zeros: 7)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        entryCount = try reader.next(UInt64.self)
        entryBytes = try reader.next(UInt64.self)
        isAtMost = try reader.flag()
        try reader.reserved(7)
        try reader.expectEnd()
    }
}
