/// Decides when to connect again to an endpoint that may have refused the client: its list may have
/// the client's key by now, and libzmq never retries a refused handshake by itself.
///
/// The socket's owner asks when it has something to send and there is no connection; nothing here
/// happens by itself.
public struct SecondKnock: Sendable {
    private let place: Endpoint
    private let pause: Duration
    private var next: ContinuousClock.Instant

    /// - Parameters:
    ///   - place: the endpoint that a socket was connected to just now.
    ///   - pause: between two attempts. A handshake has to fit, or it is cut short for ever.
    public init(at place: Endpoint, pause: Duration = ZeroMQLimits.knockPause) {
        self.place = place
        self.pause = pause
        next = .now + pause
    }

    /// Connects again, if no peer is connected and the pause is over. An endpoint without a key
    /// refuses no client, so nothing is done for it.
    ///
    /// - Parameter socket: the one that was connected. Its queued messages for the endpoint are
    ///   dropped.
    public mutating func tryAgain(_ socket: borrowing Socket) throws(ZeroMQError) {
        let now = ContinuousClock.now
        guard place.serverKey != nil, next <= now, try !socket.isWritable else { return }
        next = now + pause
        try socket.reconnect(place)
    }
}
