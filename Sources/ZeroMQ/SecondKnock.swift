/// When to knock again at a place that may have turned one away: its list may have one by now, and
/// libzmq never tries again by itself where a handshake was refused.
///
/// Whoever owns the socket asks when something is to be sent and there is no connection; nothing
/// here happens by itself.
public struct SecondKnock: Sendable {
    private let place: Endpoint
    private let pause: Duration
    private var next: ContinuousClock.Instant

    /// - Parameters:
    ///   - place: to which a socket was connected just now.
    ///   - pause: between two knocks. A handshake has to fit, or it is cut short for ever.
    public init(at place: Endpoint, pause: Duration = ZeroMQLimits.knockPause) {
        self.place = place
        self.pause = pause
        next = .now + pause
    }

    /// Connects anew, if nobody can be spoken to and it is time. Where no keys are asked for
    /// nobody is turned away, and nothing is done.
    ///
    /// - Parameter socket: the one that was connected. What it holds for the place is dropped.
    public mutating func tryAgain(_ socket: borrowing Socket) throws(ZeroMQError) {
        let now = ContinuousClock.now
        guard place.serverKey != nil, next <= now, try !socket.isWritable else { return }
        next = now + pause
        try socket.reconnect(place)
    }
}
