package import ByteCoding
package import CacheModel

/// EXPLAIN: what a shard knows of one key, and whether it would show it.
///
///     body: key bytes 2, key
public struct ExplainRequest: Hashable, Sendable {
    package var key: CacheKey
    package var namespace: Namespace

    package init(key: CacheKey, namespace: Namespace) {
        self.key = key
        self.namespace = namespace
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.explain, requestID: requestID, into: &writer)
        message.field(namespace, into: &writer)
        writer.append(UInt16(key.bytes.count))
        writer.append(key.bytes)
        message.finish(&writer, count: 0)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        let bytes = try reader.take(Int(try reader.next(UInt16.self)))
        guard let key = CacheKey(bytes: [UInt8](bytes)) else {
            throw WireRefusal(.outOfRange, "a key has 1 to 4096 bytes")
        }
        self.key = key
        namespace = try Scope.namespace(message.fields.namespace)
        try reader.expectEnd()
    }
}
