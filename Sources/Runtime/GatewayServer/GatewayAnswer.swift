import CacheHTTP
import GatewayCore

/// What a request is answered with.
enum GatewayAnswer: Sendable {
    /// - Parameter heldBytes: reserved for it in the value budget, to be returned once it is sent.
    case whole(Answer, heldBytes: Int = 0)
    /// Server-sent events of an admitted subscriber.
    case events(EventStreamReader, SubscriberID)
    /// - Parameters:
    ///   - accept: the answer to the key of its handshake.
    ///   - isComplete: whether the URL and the fields are sufficient, so that no message is waited
    ///     for.
    case webSocket(WebSocketReader, accept: String, isComplete: Bool)
}
