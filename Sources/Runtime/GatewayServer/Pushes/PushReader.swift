import CacheModel
import GatewayCore
import NIOCore

/// A connection that receives messages. Called from any thread, in the order of the messages.
protocol PushReader: AnyObject, Sendable {
    /// The event loop on which its messages are written together with those of others; `nil`: it
    /// writes them itself.
    var loop: (any EventLoop)? { get }

    var transport: PushTransport { get }

    /// Queues a message; ``SharedPushHub/taken(_:)`` is called when it is sent.
    ///
    /// With a ``loop``: called on that loop, and ``flush(_:)`` follows.
    func take(_ push: EncodedPush)

    /// The last message, after which the connection is closed.
    func end(_ push: EncodedPush, _ ending: PushEnding)

    /// Sends queued messages.
    func flush(_ receipts: PushReceipts)
}

/// The transport of a subscriber.
enum PushTransport: String, CaseIterable, Sendable {
    case webSocket = "websocket"
    case events = "events"
}

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

/// A connection that receives events in the body of an answer: a queue that the task of the request
/// empties. The hub bounds it.
final class EventStreamReader: PushReader {
    typealias Item = (push: EncodedPush, isLast: Bool)

    let items: AsyncStream<Item>
    private let queue: AsyncStream<Item>.Continuation

    init() { (items, queue) = AsyncStream.makeStream() }

    var loop: (any EventLoop)? { nil }
    var transport: PushTransport { .events }

    func take(_ push: EncodedPush) { queue.yield((push, false)) }

    func end(_ push: EncodedPush, _ ending: PushEnding) {
        queue.yield((push, true))
        queue.finish()
    }

    func flush(_ receipts: PushReceipts) {}
}
