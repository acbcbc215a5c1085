public import ByteCoding
package import CacheModel

/// Writes one message at the end of a ``ByteCoding/ByteWriter``: begin, fields, body, finish.
///
/// It only remembers where the message began; the bytes go directly into the writer.
public struct MessageWriter {
    @usableFromInline package let start: Int
    @usableFromInline package var bodyStart: Int

    /// Begins a message; its lengths are filled in by ``finish(_:count:)``.
    @inlinable
    package init(_ type: MessageType, requestID: UInt64, into writer: inout ByteWriter) {
        start = writer.count
        writer.append(MessageHeader.magic)
        writer.append(MessageHeader.version)
        writer.append(type.rawValue)
        writer.append(UInt32(0))
        writer.append(requestID)
        writer.append(UInt64(0))
        bodyStart = writer.count
    }

    /// Adds a field. All fields come before the body.
    @inlinable
    package mutating func field(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) {
        precondition(writer.count == bodyStart, "fields come before the body")
        precondition(bytes.count <= Int(UInt8.max), "a field's length travels in one byte")
        writer.append(id)
        writer.append(UInt8(bytes.count))
        writer.append(bytes)
        bodyStart = writer.count
    }

    @inlinable
    package mutating func field(_ id: UInt8, _ value: UInt32, into writer: inout ByteWriter) {
        precondition(writer.count == bodyStart, "fields come before the body")
        writer.append(id)
        writer.append(UInt8(4))
        writer.append(value)
        bodyStart = writer.count
    }

    package mutating func field(_ members: MembersNote, into writer: inout ByteWriter) {
        field(MessageFields.ID.members, byteCount: 13, into: &writer) { writer in
            writer.append(UInt8(members.isBySlots ? 2 : members.isSettled ? 1 : 0))
            writer.append(members.asOf)
        }
    }

    package mutating func field(_ id: UInt8, _ position: LogPosition, into writer: inout ByteWriter)
    {
        field(id, byteCount: 12, into: &writer) { $0.append(position) }
    }

    /// Adds the field of an operation's id, unless it is none.
    package mutating func field(_ operation: OperationID, into writer: inout ByteWriter) {
        guard operation != .none else { return }
        field(MessageFields.ID.operation, byteCount: 16, into: &writer) { $0.append(operation) }
    }

    private mutating func field(
        _ id: UInt8, byteCount: UInt8, into writer: inout ByteWriter,
        _ append: (inout ByteWriter) -> Void
    ) {
        precondition(writer.count == bodyStart, "fields come before the body")
        writer.append(id)
        writer.append(byteCount)
        append(&writer)
        bodyStart = writer.count
    }

    /// Marks the message as a peer's request.
    package mutating func field(peerUrgency: UInt8, into writer: inout ByteWriter) {
        field(MessageFields.ID.fromPeer, byteCount: 1, into: &writer) { $0.append(peerUrgency) }
    }

    package mutating func field(_ policy: ReadPolicy, into writer: inout ByteWriter) {
        field(MessageFields.ID.readPolicy, byteCount: 1, into: &writer) {
            $0.append(policy.number)
        }
    }

    /// Adds the field of a run, unless it is none.
    package mutating func field(_ id: UInt8, _ run: Incarnation, into writer: inout ByteWriter) {
        guard run != .none else { return }
        field(id, byteCount: 8, into: &writer) { $0.append(run.rawValue) }
    }

    /// Adds the field of the sender's cluster, unless it is unknown.
    package mutating func field(_ cluster: ClusterID, into writer: inout ByteWriter) {
        guard cluster != .none else { return }
        field(MessageFields.ID.cluster, byteCount: 8, into: &writer) {
            $0.append(cluster.rawValue)
        }
    }

    /// Marks the message as from a node that copies entries into its own memory.
    ///
    /// - Parameter fill: the digest of its log at the position of the message's AT LEAST.
    package mutating func field(fill: LogDigest, into writer: inout ByteWriter) {
        field(MessageFields.ID.fill, byteCount: 8, into: &writer) { $0.append(fill.rawValue) }
    }

    /// Adds the record that moved slots to a node that copies their entries, if there is one.
    package mutating func field(move: LogPosition?, into writer: inout ByteWriter) {
        if let move { field(MessageFields.ID.move, move, into: &writer) }
    }

    /// Marks the message as writes that another node had accepted.
    ///
    /// - Parameter forwarded: the record that had given the slot to the sender; `beyondAll`: they
    ///   count whatever was written since.
    package mutating func field(forwarded: LogPosition, into writer: inout ByteWriter) {
        field(MessageFields.ID.forwarded, forwarded, into: &writer)
    }

    /// Appends a complete message with the field of the sender's cluster after its other fields.
    ///
    /// - Precondition: the message is complete and does not have that field.
    package static func append(
        _ message: [UInt8], from cluster: ClusterID, to writer: inout ByteWriter
    ) {
        guard cluster != .none else { return writer.append(message) }
        precondition(message.count >= MessageHeader.encodedBytes, "a message has a header")
        let start = writer.count
        let fieldsBytes = UInt16(message[18]) | UInt16(message[19]) << 8
        let bodyStart = MessageHeader.encodedBytes + Int(fieldsBytes)
        writer.append(Array(message[..<bodyStart]))
        writer.append(MessageFields.ID.cluster)
        writer.append(UInt8(8))
        writer.append(cluster.rawValue)
        writer.append(Array(message[bodyStart...]))
        writer.patch(fieldsBytes + 10, at: start + 18)
    }

    /// Adds the namespace's field, unless it is the default namespace.
    package mutating func field(_ namespace: Namespace, into writer: inout ByteWriter) {
        guard namespace != .default else { return }
        var name = namespace.name
        name.withUTF8 {
            field(MessageFields.ID.namespace, UnsafeRawBufferPointer($0), into: &writer)
        }
    }

    /// Adds the representation of the message's value.
    package mutating func fields(
        of representation: Representation, into writer: inout ByteWriter
    ) {
        precondition(writer.count == bodyStart, "fields come before the body")
        RepresentationFields.append(
            representation, by: RepresentationFields.inHeader, to: &writer)
        bodyStart = writer.count
    }

    /// Fills in the lengths and the count.
    ///
    /// - Returns: the message's length in bytes.
    @inlinable @discardableResult
    package func finish(_ writer: inout ByteWriter, count: Int) -> Int {
        precondition(count >= 0 && count <= Int(UInt16.max), "a count travels in two bytes")
        writer.patch(UInt16(count), at: start &+ 6)
        writer.patch(UInt16(bodyStart &- start &- 24), at: start &+ 18)
        writer.patch(UInt32(writer.count &- bodyStart), at: start &+ 20)
        return writer.count &- start
    }
}
