public import ByteCoding
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

/// The purpose of a socket: the ``ZAPHandler`` receives it at each handshake, so that it may admit
/// a key at one socket and refuse it at another. 1 to 255 bytes.
public struct ZAPDomain: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        precondition((1...255).contains(rawValue.utf8.count), "ZAP needs a domain")
        self.rawValue = rawValue
    }

    /// The domain of sockets without another.
    public static let unspecified = ZAPDomain(rawValue: "unspecified")
}

/// libzmq's question at a handshake, as RFC 27 of ZeroMQ (ZAP) lays it out.
///
///     version "1.0", request id, domain, address, identity, mechanism, credentials …
public struct ZAPRequest: Sendable {
    let id: [UInt8]
    /// The domain of the socket that the peer connects to.
    public let domain: String
    /// The address of the peer, as the socket sees it: an IP address; for ipc `localhost:` and the
    /// ids of user, group and process, which the kernel vouches for.
    public let address: String
    /// The key that the peer has proven to hold the other half of; `nil` where it showed none.
    public let key: PublicKey?

    /// - Returns: `nil` for frames that are no such request.
    init?(_ frames: [[UInt8]]) {
        guard frames.count >= 6, frames[0] == Array(Self.version.utf8) else { return nil }
        id = frames[1]
        domain = String(decoding: frames[2], as: UTF8.self)
        address = String(decoding: frames[3], as: UTF8.self)
        // The identity is that of our own socket in this libzmq, and says nothing of the peer.
        let isCurve = frames[5] == Array("CURVE".utf8)
        key = isCurve && frames.count == 7 ? PublicKey(bytes: frames[6]) : nil
    }

    static let version = "1.0"
}

/// What a ``ZAPHandler`` answers.
public enum ZAPVerdict: Hashable, Sendable {
    /// Let in. The number is attached to every message of the connection:
    /// ``FrameRing/userNumber(at:)``.
    case admitted(UInt32)
    /// Turned away, for good: libzmq tells the peer so.
    case refused

    var statusCode: String { if case .admitted = self { "200" } else { "400" } }

    var userID: String { if case .admitted(let number) = self { "\(number)" } else { "" } }
}
