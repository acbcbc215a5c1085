package import ByteCoding
package import CacheModel

/// COUNT: how much of one shard do these scopes cover?
///
///     body: scopes
public struct CountRequest: Hashable, Sendable {
    package var scopes: [Scope]

    package init(scopes: [Scope]) {
        self.scopes = scopes
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.count, requestID: requestID, into: &writer)
        for scope in scopes { scope.encode(into: &writer) }
        message.finish(&writer, count: scopes.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        guard (1...InvalidationRecord.scopesMax).contains(message.count) else {
            throw WireRefusal(.outOfRange, "a count is of 1 to 1000 scopes")
        }
        var reader = ByteReader(message.body)
        scopes = []
        scopes.reserveCapacity(message.count)
        for _ in 0..<message.count { scopes.append(try Scope(decoding: &reader)) }
        try reader.expectEnd()
    }
}
