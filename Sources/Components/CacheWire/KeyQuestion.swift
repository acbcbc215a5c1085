package import ByteCoding
package import CacheModel

/// A request about one key, to one shard.
///
///     body: key bytes 2, key
public struct KeyQuestion: Hashable, Sendable {
    public enum Subject: Hashable, CaseIterable, Sendable {
        /// EXPLAIN: the shard's state of the key, and whether it would serve it.
        case explanation
        /// COMPARE: whether the value that it would serve equals the value at the key's origin.
        case comparison
    }

    package var subject: Subject
    package var key: CacheKey
    package var namespace: Namespace
    /// How long the asker waits; `nil`: the shard's default.
    package var deadlineMilliseconds: UInt32?

    package init(_ subject: Subject, of key: CacheKey, in namespace: Namespace) {
        self.subject = subject
        self.key = key
        self.namespace = namespace
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let type: MessageType = subject == .explanation ? .explain : .compare
        var message = MessageWriter(type, requestID: requestID, into: &writer)
        message.field(namespace, into: &writer)
        if let deadlineMilliseconds {
            message.field(MessageFields.ID.deadline, deadlineMilliseconds, into: &writer)
        }
        writer.append(UInt16(key.bytes.count))
        writer.append(key.bytes)
        message.finish(&writer, count: 0)
    }

    /// - Precondition: the message is an EXPLAIN or a COMPARE.
    package init(decoding message: MessageView) throws(WireRefusal) {
        precondition(message.type == .explain || message.type == .compare)
        subject = message.type == .explain ? .explanation : .comparison
        var reader = ByteReader(message.body)
        let bytes = try reader.take(Int(try reader.next(UInt16.self)))
        guard let key = CacheKey(bytes: [UInt8](bytes)) else {
            throw WireRefusal(.outOfRange, "a key has 1 to 4096 bytes")
        }
        self.key = key
        namespace = try Scope.namespace(message.fields.namespace)
        deadlineMilliseconds = message.fields.deadlineMilliseconds
        try reader.expectEnd()
    }
}
