package import ByteCoding
package import CacheModel

/// SCAN PAGE: a part of the entries that a scan covers.
///
///     body: next cursor 8 (0: the last page), entries 8, bytes 8,
///           keys: key bytes 2, heat 2, value bytes 4, ttl 8, key
public struct ScanPage: Hashable, Sendable {
    public struct Line: Hashable, Sendable {
        package var key: CacheKey
        package var valueBytes: Int
        /// Milliseconds left; `nil` never expires.
        package var ttlMilliseconds: UInt64?
        /// The node's estimate of the entry's value, relative to others of the same node; 0 unless
        /// the hottest were requested.
        package var heat: UInt16 = 0

        package init(key: CacheKey, valueBytes: Int, ttlMilliseconds: UInt64?) {
            self.key = key
            self.valueBytes = valueBytes
            self.ttlMilliseconds = ttlMilliseconds
        }
    }

    package var nextCursor: UInt64
    /// Entries that matched in this part, and the bytes they are charged.
    package var entryCount: UInt64
    package var entryBytes: UInt64
    package var lines: [Line] = []

    package init(nextCursor: UInt64, entryCount: UInt64, entryBytes: UInt64) {
        self.nextCursor = nextCursor
        self.entryCount = entryCount
        self.entryBytes = entryBytes
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.scanPage, requestID: requestID, into: &writer)
        writer.append(nextCursor)
        writer.append(entryCount)
        writer.append(entryBytes)
        for line in lines {
            writer.append(UInt16(line.key.bytes.count))
            writer.append(line.heat)
            writer.append(UInt32(line.valueBytes))
            writer.append(line.ttlMilliseconds ?? .max)
            writer.append(line.key.bytes)
        }
        message.finish(&writer, count: lines.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        nextCursor = try reader.next(UInt64.self)
        entryCount = try reader.next(UInt64.self)
        entryBytes = try reader.next(UInt64.self)
        for _ in 0..<message.count {
            let keyBytes = Int(try reader.next(UInt16.self))
            let heat = try reader.next(UInt16.self)
            let valueBytes = Int(try reader.next(UInt32.self))
            let ttl = try reader.next(UInt64.self)
            guard let key = CacheKey(bytes: [UInt8](try reader.take(keyBytes))) else {
                throw WireRefusal(.outOfRange, "a key has 1 to 4096 bytes")
            }
            var line = Line(
                key: key, valueBytes: valueBytes, ttlMilliseconds: ttl == .max ? nil : ttl)
            line.heat = heat
            lines.append(line)
        }
        try reader.expectEnd()
    }
}
