import GatewayCore

/// A client that is admitted to the stream and must be answered.
enum StreamVisitor: Sendable {
    case events(EventStreamReader, SubscriberID)
    /// - Parameters:
    ///   - accept: the answer to the key of its handshake.
    ///   - isComplete: whether the URL and the fields are sufficient, so that no message is waited
    ///     for.
    case webSocket(WebSocketReader, accept: String, isComplete: Bool)
}
