import NIOCore
import PushCore

/// A connection that is sent messages. Called from any thread, in the order of the messages.
protocol PushReader: AnyObject, Sendable {
    /// Where its messages are written together with those of others; `nil`: it does so itself.
    var loop: (any EventLoop)? { get }

    var transport: PushTransport { get }

    /// Takes a message; ``PushDesk/taken(_:)`` is told when it is gone.
    ///
    /// Of one with a ``loop``: on that loop, and ``flush(_:)`` follows.
    func take(_ push: EncodedPush)

    /// The last message, after which the connection is closed.
    func end(_ push: EncodedPush, _ ending: PushEnding)

    /// What was taken goes out.
    func flush(_ receipts: PushReceipts)
}
