package import ByteCoding
package import CacheModel

/// QUEUE: lists a node's writes that wait for their origins or were rejected, or is an order about
/// the rejected ones.
///
///     body: order 1, reserved 1, key bytes 2, reserved 4, key
///
/// With a namespace and a key it is about that key, without a key about everything.
public struct QueueRequest: Hashable, Sendable {
    /// The order. The numbers are on the wire.
    package enum Order: UInt8, CaseIterable, Sendable {
        case list = 0
        /// Drop rejected writes.
        case drop = 1
        /// Retry rejected writes.
        case retry = 2
    }

    package var order: Order
    package var namespace = Namespace.default
    package var key: CacheKey?

    package init(_ order: Order) { self.order = order }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.queue, requestID: requestID, into: &writer)
        message.field(namespace, into: &writer)
        writer.append(order.rawValue)
        writer.append(UInt8(0))
        writer.append(UInt16(key?.bytes.count ?? 0))
        writer.append(UInt32(0))
        writer.append(key?.bytes ?? [])
        message.finish(&writer, count: 0)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        order = try reader.known(or: "what is to become of the queue is not known")
        try reader.reserved(1)
        let keyBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(4)
        let bytes = [UInt8](try reader.take(keyBytes))
        if keyBytes > 0 {
            guard let key = CacheKey(bytes: bytes) else {
                throw WireRefusal(.outOfRange, "a key has 1 to 4096 bytes")
            }
            self.key = key
        }
        if let name = message.fields.namespace {
            namespace = Namespace(String(decoding: name, as: UTF8.self)) ?? .default
        }
        try reader.expectEnd()
    }
}
