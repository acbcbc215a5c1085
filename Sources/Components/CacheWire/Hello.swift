package import ByteCoding
package import CacheModel

/// HELLO: a run of a node introduces itself to the publisher.
///
///     body: incarnation 8, log id 8, applied mark 24, id bytes 1, reserved 1, shards 2,
///           weight 4, id, an endpoint for each shard (1 + text)
///
/// The cluster of the log that it follows is in a field.
public struct Hello: Hashable, Sendable {
    package var incarnation: Incarnation
    package var log: LogID
    package var applied: LogMark
    package var node: NodeID
    package var endpoints: [String]
    /// Its cluster; none if unknown.
    package var cluster = ClusterID.none
    /// Whether it knows owners by slots.
    package var knowsSlots = false
    /// Its weight if the publisher may take it in though no file lists it. A publisher that does
    /// not know that takes all but none for malformed.
    package var joinWeight = JoinWeight.none

    package init(
        incarnation: Incarnation, log: LogID, applied: LogMark, node: NodeID, endpoints: [String]
    ) {
        self.incarnation = incarnation
        self.log = log
        self.applied = applied
        self.node = node
        self.endpoints = endpoints
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.hello, requestID: requestID, into: &writer)
        message.field(cluster, into: &writer)
        if knowsSlots {
            message.field(MessageFields.ID.slots, .init(start: nil, count: 0), into: &writer)
        }
        let id = Array(node.name.utf8)
        writer.append(incarnation.rawValue)
        writer.append(log.rawValue)
        writer.append(applied)
        writer.append(UInt8(id.count))
        writer.append(UInt8(0))
        writer.append(UInt16(endpoints.count))
        writer.append(joinWeight.rawValue)
        writer.append(id)
        for endpoint in endpoints { writer.append(shortText: endpoint) }
        message.finish(&writer, count: 0)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        try self.init(decoding: message.body)
        cluster = message.fields.cluster
        knowsSlots = message.fields.marks.contains(.slots)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        log = LogID(try reader.next(UInt64.self))
        applied = try reader.mark()
        let idBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(1)
        let shards = Int(try reader.next(UInt16.self))
        joinWeight = JoinWeight(rawValue: try reader.next(UInt32.self))
        guard (1...WireLimits.shardsPerNodeMax).contains(shards), incarnation != .none else {
            throw WireRefusal(.outOfRange, "a node has 1 to 64 shards and an incarnation")
        }
        node = try reader.nodeID(idBytes)
        endpoints = []
        for _ in 0..<shards { endpoints.append(try reader.shortText()) }
        try reader.expectEnd()
    }
}
