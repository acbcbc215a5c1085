import CacheModel
import NIOCore
import GatewayCore

/// A message in wire format: encoded once for all its subscribers.
struct EncodedPush: Sendable {
    let message: PushMessage
    /// A text frame of a WebSocket: unmasked, as servers send them.
    let webSocket: ByteBuffer
    /// A server-sent event.
    let eventStream: ByteBuffer

    /// - Parameter cluster: the cluster of the log; part of the event's id.
    init(_ message: PushMessage, of cluster: ClusterID = .none) {
        self.message = message
        webSocket = WebSocketText.frame(message.text)
        eventStream = Self.event(message, cluster)
    }

    /// Its size in the hub's accounting.
    var bytes: Int { message.bytes }

    private static func event(_ message: PushMessage, _ cluster: ClusterID) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: message.bytes + 64)
        // The end of a subscription is not a position to resume from.
        if let position = message.position, message.kind != .end {
            buffer.writeString("id: \(ClusterPosition(position, of: cluster))\n")
        }
        buffer.writeString("event: \(message.kind.rawValue)\ndata: ")
        buffer.writeBytes(message.text)
        buffer.writeString("\n\n")
        return buffer
    }
}
