import PushCore

/// A client that is let in to the stream, and is to be answered.
enum StreamVisitor: Sendable {
    case events(EventStreamReader, SubscriberID)
    /// - Parameters:
    ///   - accept: the answer to the key of its handshake.
    ///   - isComplete: whether the URL and the fields say all, so that no message is waited for.
    case webSocket(WebSocketReader, accept: String, isComplete: Bool)
}
