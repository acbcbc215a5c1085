import NIOCore
import GatewayCore

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
