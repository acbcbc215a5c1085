package import ByteCoding
package import CacheModel

/// A contiguous run of records: the body of RECORDS, and of REPLAY after the head's mark.
public struct RecordRun: Hashable, Sendable {
    package var records: [SealedRecord]
    /// The publisher's head; only in a REPLAY.
    package var head: LogMark?

    /// Whether no caller waits for these, so that they may be acknowledged later. Only in RECORDS.
    package var isLazy: Bool

    package init(records: [SealedRecord], head: LogMark? = nil, isLazy: Bool = false) {
        precondition(head == nil || !isLazy, "a requested replay is never lazy")
        self.records = records
        self.head = head
        self.isLazy = isLazy
    }

    /// Writes a REPLAY if the head is given, otherwise RECORDS.
    ///
    /// - Precondition: the records fit one frame; see ``prefixThatFits(_:)``.
    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let type: MessageType = head == nil ? .records : .replay
        var message = MessageWriter(type, requestID: requestID, into: &writer)
        if isLazy {
            message.field(MessageFields.ID.lazy, .init(start: nil, count: 0), into: &writer)
        }
        if let head { writer.append(head) }
        for record in records { writer.append(record.bytes) }
        let bytes = message.finish(&writer, count: records.count)
        precondition(bytes <= WireLimits.frameBytesMax, "the records of a run fit one frame")
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        guard message.count <= WireLimits.replayRecordsMax else {
            throw WireRefusal(.outOfRange, "a run has at most 4096 records")
        }
        var reader = ByteReader(message.body)
        head = message.type == .replay ? try reader.mark() : nil
        isLazy = head == nil && message.fields.marks.contains(.lazy)
        records = []
        records.reserveCapacity(message.count)
        for _ in 0..<message.count {
            let record = try SealedRecord(decoding: &reader)
            guard records.last.map({ record.position.directlyFollows($0.position) }) ?? true else {
                throw WireRefusal(.malformed, "the records of a run are not contiguous")
            }
            records.append(record)
        }
        try reader.expectEnd()
    }

    /// How many of `records`, from the first, fit one frame.
    package static func prefixThatFits(_ records: some Sequence<SealedRecord>) -> Int {
        var bytes = 1_024
        var count = 0
        for record in records {
            bytes += record.bytes.count
            guard bytes <= WireLimits.frameBytesMax, count < WireLimits.replayRecordsMax else {
                break
            }
            count += 1
        }
        return count
    }
}
