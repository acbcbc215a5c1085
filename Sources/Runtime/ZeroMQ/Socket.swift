import ByteCoding
import CZeroMQ

/// One libzmq socket: not copyable, so it is closed exactly once; not sendable, so it stays on
/// the thread that made it.
///
///      thread A                                   thread B
///      ┌───────────────────────────┐              ┌──────────────────────────┐
///      │ Poller ─ waits for ─┐     │   tcp, ipc   │     ┌─ waits for ─ Poller │
///      │ Wakeup ◀─ signal ───┤     │    inproc    │     ├─── signal ─▶ Wakeup │
///      │ Socket ◀────────────┘ ════╪══════════════╪════ └────────────▶ Socket │
///      └───────────────────────────┘              └──────────────────────────┘
///                    one Context: its own threads move the bytes
///
/// ### Threads
/// Make a socket inside the thread that uses it, and capture only the ``Context`` and the
/// ``Endpoint``. Other threads reach its owner through a ``Wakeup`` in the owner's ``Poller``.
///
/// ### One turn of an owner
/// Wait in the poller; receive until it answers `false`; answer; wait again. Sending and receiving
/// never wait, and allocate nothing on this side.
///
/// It sets no ZeroMQ heartbeats: in libzmq 4.3.4 they can abort the process. It offers no routing
/// ids, conflation or hand-over, each of which loses messages in silence. It does not report when a
/// peer leaves: watch for silence instead. Without keys in its ``Context`` it checks no peer: bind
/// it to loopback or to a network of trusted machines.
///
/// ### What gets lost
/// A PUB or XPUB socket drops for a slow subscriber and says "sent". Whatever was sent may be
/// lost when a connection breaks. Number the messages if it matters.
public struct Socket: ~Copyable {
    let handle: UnsafeMutableRawPointer
    public let kind: Kind
    /// Kept alive, so that the context ends after its last socket.
    let context: Context

    /// Opens a socket with the defaults of ``ZeroMQLimits``.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending;
    ///   ``ZeroMQError/isOutOfDescriptors`` if it has no socket left. Nothing stays open.
    public init(_ context: Context, _ kind: Kind) throws(ZeroMQError) {
        let handle = try context.openSocket(type: kind.code)
        do {
            try SocketDefaults.apply(to: handle, kind, isKeyed: context.keys != nil)
        } catch {
            _ = zmq_close(handle)
            throw error
        }
        self.handle = handle
        self.kind = kind
        self.context = context
    }

    deinit {
        let result = zmq_close(handle)
        precondition(result == 0, "a socket is closed exactly once")
    }
}

@available(*, unavailable, message: "a socket stays on the thread that made it")
extension Socket: Sendable {}

extension Socket {
    /// Sets an option for the bindings and connections made from now on.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public func set<Value>(
        _ option: SocketOption<Value>, to value: Value
    ) throws(ZeroMQError) {
        let payload = option.encode(value, kind)
        try Self.onTheWire(payload, of: option.code, isKeyed: context.keys != nil)
            .write(option.code, to: handle)
    }

    /// Asks a SUB socket's peers for the messages that begin with `prefix`; an empty prefix asks
    /// for all.
    ///
    /// The request travels like a message, so whatever is published before it arrives is missed.
    /// Asking twice needs unsubscribing twice.
    ///
    /// - Parameter prefix: at most ``ZeroMQLimits/subscriptionBytesMax`` bytes.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public func subscribe(prefix: some Collection<UInt8>) throws(ZeroMQError) {
        try set(.subscribe, to: Array(prefix))
    }

    /// Takes one subscription to `prefix` back.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public func unsubscribe(prefix: some Collection<UInt8>) throws(ZeroMQError) {
        try set(.unsubscribe, to: Array(prefix))
    }
}

/// CURVE, for the bindings and connections made from now on.
extension Socket {
    /// Not in the header of this release, but in its library: the handler is asked even about an
    /// empty domain, and no peer is admitted without a handler.
    private static let enforceDomain: CInt = 93
    /// The bytes that CURVE adds to each frame: its name, a number, a mark of authenticity and a
    /// flag.
    private static let bytesAround: Int64 = 33

    /// Bounds are for the contents of frames; libzmq applies them to the bytes on the wire.
    static func onTheWire(
        _ payload: SocketOptionPayload, of code: CInt, isKeyed: Bool
    ) -> SocketOptionPayload {
        guard isKeyed, code == ZMQ_MAXMSGSIZE, case .int64(let bytes) = payload else {
            return payload
        }
        return .int64(bytes + bytesAround)
    }

    /// Each peer that connects has to prove its key.
    func serve(with keys: CurveKeyPair, _ domain: ZAPDomain) throws(ZeroMQError) {
        try SocketOptionPayload.int32(1).write(ZMQ_CURVE_SERVER, to: handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(ZMQ_CURVE_SECRETKEY, to: handle)
        try SocketOptionPayload.bytes(Array(domain.rawValue.utf8)).write(
            ZMQ_ZAP_DOMAIN, to: handle)
        try SocketOptionPayload.int32(1).write(Self.enforceDomain, to: handle)
    }

    /// Talks to the holder of `serverKey` alone, and proves its own key.
    func ask(_ serverKey: PublicKey, with keys: CurveKeyPair) throws(ZeroMQError) {
        try SocketOptionPayload.bytes(serverKey.bytes).write(ZMQ_CURVE_SERVERKEY, to: handle)
        try SocketOptionPayload.bytes(keys.publicKey.bytes).write(ZMQ_CURVE_PUBLICKEY, to: handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(ZMQ_CURVE_SECRETKEY, to: handle)
    }
}

/// What is set on every socket before its owner sees it. libzmq's own defaults keep unsent
/// messages for ever, accept frames of any length, and loop without a pause when refused.
enum SocketDefaults {
    static func apply(
        to handle: UnsafeMutableRawPointer, _ kind: Socket.Kind, isKeyed: Bool
    ) throws(ZeroMQError) {
        func set<Value>(_ option: SocketOption<Value>, _ value: Value) throws(ZeroMQError) {
            let payload = option.encode(value, kind)
            try Socket.onTheWire(payload, of: option.code, isKeyed: isKeyed)
                .write(option.code, to: handle)
        }
        func setRaw(_ code: CInt, _ value: CInt) throws(ZeroMQError) {
            try SocketOptionPayload.int32(value).write(code, to: handle)
        }
        try set(.linger, .zero)
        try set(.maxMessageBytes, ZeroMQLimits.frameBytesDefault)
        try set(.handshakeInterval, ZeroMQLimits.handshakeIntervalDefault)
        try set(.connectTimeout, ZeroMQLimits.connectTimeoutDefault)
        try set(.reconnectInterval, ZeroMQLimits.reconnectIntervalDefault)
        try set(.reconnectIntervalMax, ZeroMQLimits.reconnectIntervalMaxDefault)
        try set(.unacknowledgedTime, ZeroMQLimits.unacknowledgedTimeDefault)
        try set(.backlog, ZeroMQLimits.backlogDefault)
        try setRaw(ZMQ_TCP_KEEPALIVE, 1)
        try setRaw(ZMQ_TCP_KEEPALIVE_IDLE, ZeroMQLimits.keepaliveIdleSeconds)
        try setRaw(ZMQ_TCP_KEEPALIVE_INTVL, ZeroMQLimits.keepaliveIntervalSeconds)
        try setRaw(ZMQ_TCP_KEEPALIVE_CNT, ZeroMQLimits.keepaliveProbeCount)
        if kind == .router {
            // Without it a full queue and an unknown peer both look like success.
            try setRaw(ZMQ_ROUTER_MANDATORY, 1)
            // With it, a peer that claims another's name would get the other's replies.
            try setRaw(ZMQ_ROUTER_HANDOVER, 0)
        }
        if kind == .dealer { try set(.immediate, true) }
        if kind.mayReceiveUnlimited { try set(.receiveHighWaterMark, .unlimited) }
    }
}

extension Socket {
    /// The pattern a socket follows.
    public enum Kind: CaseIterable, Hashable, Sendable {
        /// Talks to many peers; the first frame of a message names the peer.
        case router
        /// Talks to one ROUTER, or to several in turn.
        case dealer
        /// Sends to its subscribers.
        case pub
        /// Sends to its subscribers, and receives the subscriptions as messages.
        case xpub
        /// Receives what it subscribed to.
        case sub
        /// Talks to exactly one peer.
        case pair
        /// Sends each message to one of its peers in turn.
        case push
        /// Receives from all its peers.
        case pull
        /// Answers one request after the other.
        case rep

        var code: CInt {
            switch self {
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            case .pub: ZMQ_PUB
            case .xpub: ZMQ_XPUB
            case .sub: ZMQ_SUB
            case .pair: ZMQ_PAIR
            case .push: ZMQ_PUSH
            case .pull: ZMQ_PULL
            case .rep: ZMQ_REP
            }
        }

        /// Whether the queue of received messages may be without end. A connecting socket with
        /// stalled input can abort the process when the connection is made anew. So these two drain
        /// into memory, and their owners bound the outstanding messages.
        var mayReceiveUnlimited: Bool { self == .sub || self == .dealer }
    }
}
