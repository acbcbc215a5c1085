import CZeroMQ

/// Makes a handshake with an endpoint and tells whether a client is admitted. Sends nothing else.
public enum HandshakeProbe {
    /// The client that the probe pretends to be.
    public enum Guise: Sendable {
        /// One with a key that was made a moment ago, so that no list has it.
        case stranger
        /// One without any key.
        case plain
        /// One with a key of its own.
        case holder(CurveKeyPair)
    }

    private static let admittedEvents = ZMQ_EVENT_HANDSHAKE_SUCCEEDED
    private static let refusedEvents = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    private static let brokenEvents =
        ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
        | ZMQ_EVENT_DISCONNECTED

    /// Makes one handshake.
    ///
    /// - Parameters:
    ///   - endpoint: with its server's key.
    ///   - kind: a kind of socket that the other side talks to. Any other kind is
    ///     ``HandshakeOutcome/brokenOff``, whatever its key.
    ///   - patience: the longest wait for an answer.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending, and what opening a socket
    ///   may throw.
    public static func knock(
        at endpoint: Endpoint, _ kind: Socket.Kind = .dealer, as guise: Guise, patience: Duration,
        in context: Context
    ) throws(ZeroMQError) -> HandshakeOutcome {
        let socket = try Socket(context, kind)
        let place = "inproc://handshake-\(UInt(bitPattern: socket.handle))"
        try ZeroMQError.calling(during: .monitoring) {
            zmq_socket_monitor(
                socket.handle, place, admittedEvents | refusedEvents | brokenEvents)
        }
        let ear = try Socket(context, .pair)
        try ZeroMQError.calling(during: .monitoring) { zmq_connect(ear.handle, place) }
        defer { _ = zmq_socket_monitor(socket.handle, nil, 0) }
        switch guise {
        case .stranger: try socket.connect(endpoint, presenting: CurveKeyPair.generate())
        case .plain: try socket.connect(endpoint, presenting: nil)
        case .holder(let keys): try socket.connect(endpoint, presenting: keys)
        }
        return try outcome(heardBy: ear, within: patience)
    }

    private static func outcome(
        heardBy ear: borrowing Socket, within patience: Duration
    ) throws(ZeroMQError) -> HandshakeOutcome {
        var poller = Poller()
        _ = poller.add(ear, for: .readable)
        let end = ContinuousClock.now + patience
        var frame = Frame()
        while true {
            while try ear.receive(into: &frame) {
                let event = CInt(frame.bytes.loadUnaligned(as: UInt16.self))
                // The second frame is the address.
                while frame.hasMore, try ear.receive(into: &frame) {}
                if event & admittedEvents != 0 { return .admitted }
                if event & refusedEvents != 0 { return .refused }
                if event & brokenEvents != 0 { return .brokenOff }
            }
            let left = end - ContinuousClock.now
            guard left > .zero else { return .unanswered }
            _ = try poller.wait(timeout: left)
        }
    }
}
