package import ByteCoding
package import CacheModel

/// PACE: begin, cancel or list paced invalidations.
///
///     body: order 1, strength 1, reserved 2, span 4 (milliseconds), id 8, scopes
public struct PaceRequest: Hashable, Sendable {
    /// The order. The numbers are on the wire.
    package enum Order: UInt8, CaseIterable, Sendable {
        case list = 0
        case begin = 1
        case cancel = 2
    }

    package var order: Order
    package var strength = InvalidationRecord.Strength.hard
    /// The duration of the whole pacing; 0 in any other order than to begin.
    package var spanMilliseconds: UInt32 = 0
    /// The pacing to cancel.
    package var id = PacingID.none
    package var scopes: [Scope] = []
    /// Identifies this request, so that a repetition does not begin another.
    package var operation = OperationID.none
    package var issuer: Issuer?

    package init(_ order: Order) { self.order = order }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.pace, requestID: requestID, into: &writer)
        message.field(operation, into: &writer)
        message.field(issuer, into: &writer)
        writer.append(order.rawValue)
        writer.append(strength.rawValue)
        writer.append(UInt16(0))
        writer.append(spanMilliseconds)
        writer.append(id.rawValue)
        for scope in scopes { scope.encode(into: &writer) }
        message.finish(&writer, count: scopes.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        order = try reader.known(or: "what is to be paced, or its strength, is not known")
        strength = try reader.known(or: "what is to be paced, or its strength, is not known")
        try reader.reserved(2)
        spanMilliseconds = try reader.next(UInt32.self)
        id = PacingID(try reader.next(UInt64.self))
        operation = message.fields.operation
        issuer = message.fields.issuerName
        guard message.count <= WireLimits.pacedScopesMax else {
            throw WireRefusal(.outOfRange, "one pacing has 1 to 16 scopes")
        }
        for _ in 0..<message.count { scopes.append(try Scope(decoding: &reader)) }
        try reader.expectEnd()
        guard (order == .begin) != scopes.isEmpty, (order == .begin) == (spanMilliseconds > 0),
            (order == .cancel) == (id != .none)
        else {
            throw WireRefusal(
                .malformed, "scopes and a span belong to what begins, a number to what is cancelled"
            )
        }
    }
}
