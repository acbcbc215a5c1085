import CZeroMQ

/// Decides for libzmq whether a peer is admitted; one in a context.
///
/// Make it before any socket with keys is bound, on the thread that will answer, and let it live as
/// long as those: without a handler no peer is admitted.
///
///     peer ─ handshake ─▶ libzmq ─ REQ ─▶ ZAPHandler ─ key, domain ─▶ decide ─▶ number or no
public struct ZAPHandler: ~Copyable {
    /// For the owner's poller.
    public let socket: Socket
    private var frame = Frame()
    /// Frames that a request has at most; there are 7 of CURVE.
    private static let framesMax = 16

    /// - Throws: ``ZeroMQError/isAddressInUse`` if the context has a handler.
    public init(_ context: Context) throws(ZeroMQError) {
        let socket = try Socket(context, .rep)
        try socket.bind(Self.place)
        self.socket = socket
    }

    private static let place: Endpoint = {
        do {
            return try Endpoint("inproc://zeromq.zap.01")
        } catch {
            preconditionFailure("the handler's place is a legal endpoint")
        }
    }()

    /// Answers the handshakes that wait, at most ``ZeroMQLimits/answersMax`` of them, so that many
    /// peers do not keep the caller from its other work. A malformed request is refused.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public mutating func answerWaiting(
        _ decide: (ZAPRequest) -> ZAPVerdict
    ) throws(ZeroMQError) {
        for _ in 0..<ZeroMQLimits.answersMax {
            guard try socket.receive(into: &frame) else { return }
            var frames = [Array(frame.bytes)]
            while frame.hasMore, try socket.receive(into: &frame) {
                if frames.count < Self.framesMax { frames.append(Array(frame.bytes)) }
            }
            let request = ZAPRequest(frames)
            let verdict = request.map(decide) ?? .refused
            try answer(verdict, to: request?.id ?? [])
        }
    }

    private func answer(_ verdict: ZAPVerdict, to id: [UInt8]) throws(ZeroMQError) {
        let frames = [
            Array(ZAPRequest.version.utf8), id, Array(verdict.statusCode.utf8), [],
            Array(verdict.userID.utf8), [],
        ]
        for (index, bytes) in frames.enumerated() {
            var frame = Frame(copying: bytes)
            // A peer that has gone meanwhile is no error.
            _ = try socket.send(&frame, more: index < frames.count - 1)
        }
    }
}
