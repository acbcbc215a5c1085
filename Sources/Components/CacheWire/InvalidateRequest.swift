package import ByteCoding
package import CacheModel

/// INVALIDATE: these scopes, from now on, and which nodes must have applied it before the answer.
///
///     body: wait 1, strength 1, purpose 1, reserved 1, timeout 4 (milliseconds), scopes
public struct InvalidateRequest: Hashable, Sendable {
    package var scopes: ScopeList
    package var strength: InvalidationRecord.Strength
    package var wait: WaitMode
    package var timeoutMilliseconds: UInt32
    /// A node orders a store of these keys: the new value comes from its writer, not from a replica
    /// that may lag.
    package var ordersStore = false
    /// Identifies this request, so that a repetition is not executed twice.
    package var operation: OperationID
    /// The claimed issuer. Older publishers ignore it.
    package var issuer: Issuer?
    /// The external request that it belongs to.
    package var trace: TraceContext?
    /// The sender's cluster; none if unknown.
    package var cluster = ClusterID.none

    package init(
        scopes: [Scope], strength: InvalidationRecord.Strength = .hard, wait: WaitMode,
        timeoutMilliseconds: UInt32, operation: OperationID
    ) {
        self.scopes = ScopeList(scopes)
        self.strength = strength
        self.wait = wait
        self.timeoutMilliseconds = timeoutMilliseconds
        self.operation = operation
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.invalidate, requestID: requestID, into: &writer)
        message.field(operation, into: &writer)
        message.field(trace, into: &writer)
        message.field(issuer, into: &writer)
        message.field(cluster, into: &writer)
        writer.append(wait.rawValue)
        writer.append(strength.rawValue)
        writer.append(UInt8(ordersStore ? 1 : 0))
        writer.append(UInt8(0))
        writer.append(timeoutMilliseconds)
        scopes.encode(into: &writer)
        message.finish(&writer, count: scopes.count)
    }

    /// Appends the fixed part of the body of a hard INVALIDATE; the scopes follow.
    package static func appendHead(
        wait: WaitMode, timeout: Duration, to writer: inout ByteWriter
    ) {
        writer.append(wait.rawValue)
        writer.append(InvalidationRecord.Strength.hard.rawValue)
        writer.append(UInt16(0))
        writer.append(UInt32(clamping: timeout.wholeNanoseconds / 1_000_000))
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        guard (1...InvalidationRecord.scopesMax).contains(message.count) else {
            throw WireRefusal(.outOfRange, "an invalidation has 1 to 1000 scopes")
        }
        var reader = ByteReader(message.body)
        wait = try reader.known(or: "what to wait for, or the strength, is not known")
        strength = try reader.known(or: "what to wait for, or the strength, is not known")
        ordersStore = try reader.flag(
            or: WireRefusal(.malformed, "what the invalidation is for is not known"))
        try reader.reserved(1)
        timeoutMilliseconds = try reader.next(UInt32.self)
        operation = message.fields.operation
        issuer = message.fields.issuerName
        trace = message.fields.traceContext
        cluster = message.fields.cluster
        scopes = try ScopeList(decoding: &reader, count: message.count, of: [UInt8](message.body))
        try reader.expectEnd()
    }
}
