import CacheModel
import NIOCore
import PushCore

/// A message as it goes over the wire: put into its frame once for all its subscribers.
struct EncodedPush: Sendable {
    let message: PushMessage
    /// A text frame of a WebSocket: unmasked, as servers send them.
    let webSocket: ByteBuffer
    /// A server-sent event.
    let eventStream: ByteBuffer

    /// - Parameter cluster: of which the log is; goes along with the event's id.
    init(_ message: PushMessage, of cluster: ClusterID = .none) {
        self.message = message
        webSocket = WebSocketText.frame(message.text)
        eventStream = Self.event(message, cluster)
    }

    /// What the hub counts it as.
    var bytes: Int { message.bytes }

    private static func event(_ message: PushMessage, _ cluster: ClusterID) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: message.bytes + 64)
        // What ends a subscription is no place to come back to.
        if let position = message.position, message.kind != .end {
            buffer.writeString("id: \(ClusterPosition(position, of: cluster))\n")
        }
        buffer.writeString("event: \(message.kind.rawValue)\ndata: ")
        buffer.writeBytes(message.text)
        buffer.writeString("\n\n")
        return buffer
    }
}
