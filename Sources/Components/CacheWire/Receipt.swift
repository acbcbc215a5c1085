package import ByteCoding
package import CacheModel

/// RECEIPT: which nodes have applied a position, which can no longer serve, and which are pending.
///
///     body: epoch 4, wait 1, complete 1, reserved 2, sequence 8, nearCache 4, applied 2,
///           expired 2, pending 2, reserved 2, reserved 4, then the nodes in that order:
///           elapsed 4 (microseconds; 2^32 − 1 while pending), id bytes 1, id
public struct Receipt: Hashable, Sendable {
    /// One node, and the time from the append until it applied the record or its grant expired. In
    /// the answer to AWAIT: zero if that was before the request and is no longer known.
    public struct Line: Hashable, Sendable {
        package var node: NodeID
        package var elapsed: Duration

        package init(node: NodeID, elapsed: Duration) {
            self.node = node
            self.elapsed = elapsed
        }
    }

    package var position: LogPosition
    package var wait: WaitMode
    /// Whether the requested wait was satisfied.
    package var isComplete: Bool
    /// How long a near cache in a client may still answer with invalidated values.
    package var nearCacheMilliseconds: UInt32
    package var applied: [Line] = []
    package var expired: [Line] = []
    package var pending: [NodeID] = []
    /// The claimed issuer of the invalidation. Only in the answer to AWAIT.
    package var issuer: Issuer?

    package init(
        position: LogPosition, wait: WaitMode, isComplete: Bool, nearCacheMilliseconds: UInt32
    ) {
        self.position = position
        self.wait = wait
        self.isComplete = isComplete
        self.nearCacheMilliseconds = nearCacheMilliseconds
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.receipt, requestID: requestID, into: &writer)
        message.field(issuer, into: &writer)
        writer.append(position.epoch.rawValue)
        writer.append(wait.rawValue)
        writer.append(UInt8(isComplete ? 1 : 0))
        writer.append(UInt16(0))
        writer.append(position.sequence.rawValue)
        writer.append(nearCacheMilliseconds)
        writer.append(UInt16(applied.count))
        writer.append(UInt16(expired.count))
        writer.append(UInt16(pending.count))
        writer.append(zeros: 6)
        for line in applied + expired {
            writer.append(UInt32(clamping: line.elapsed.wholeNanoseconds / 1_000))
            writer.append(shortText: line.node.name)
        }
        for node in pending {
            writer.append(UInt32.max)
            writer.append(shortText: node.name)
        }
        message.finish(&writer, count: applied.count + expired.count + pending.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        let epoch = try reader.next(UInt32.self)
        wait = try reader.known(or: "what a receipt waited for is not known")
        isComplete = try reader.flag(
            or: WireRefusal(.malformed, "a receipt is complete or it is not"))
        try reader.reserved(2)
        position = LogPosition(epoch: Epoch(epoch), sequence: try reader.sequence())
        nearCacheMilliseconds = try reader.next(UInt32.self)
        let counts = (
            try reader.next(UInt16.self), try reader.next(UInt16.self), try reader.next(UInt16.self)
        )
        guard Int(counts.0) + Int(counts.1) + Int(counts.2) == message.count else {
            throw WireRefusal(.malformed, "the nodes of a receipt do not add up to its count")
        }
        try reader.reserved(6)
        for _ in 0..<counts.0 { applied.append(try Line(decoding: &reader)) }
        for _ in 0..<counts.1 { expired.append(try Line(decoding: &reader)) }
        for _ in 0..<counts.2 { pending.append(try Line(decoding: &reader).node) }
        try reader.expectEnd()
        issuer = message.fields.issuerName
    }
}

extension Receipt.Line {
    fileprivate init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let microseconds = try reader.next(UInt32.self)
        let length = Int(try reader.next(UInt8.self))
        self.init(node: try reader.nodeID(length), elapsed: .microseconds(Int64(microseconds)))
    }
}
