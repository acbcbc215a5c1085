import AccessControl
import ByteCoding
import CacheAccess
import CacheModel
import CacheWire
import Logging
import PublisherCore
import Threading
import ZeroMQ

/// The two sockets of a publisher, for the life of its process: where requests come in and where
/// frames go out, whichever core is behind them.
struct PublisherChannels: ~Copyable {
    private let control: Socket
    private var live: LiveChannel
    /// The access table in force; `nil`: access control is off.
    private(set) var access: AccessTable?
    private var untaken = UntakenReplies()
    private let isAudited: Bool
    /// `nil` where access control is off.
    private let gatekeeper: Gatekeeper?
    /// The bound endpoints: first those that are advertised, then those with the second key.
    let bound: [PublisherEndpoints]
    let advertised: PublisherEndpoints
    let logger: Logger
    private var name = Frame()
    private var frame = Frame()

    /// The surroundings: the logger, the gatekeeper if clients need keys, and the guard that keeps
    /// the last descriptors free, if there is one.
    typealias Surroundings = (
        logger: Logger, gatekeeper: Gatekeeper?, connections: DescriptorGuard?
    )

    /// Opens and binds both sockets.
    init(
        _ options: PublisherOptions, in context: Context, _ surroundings: Surroundings
    ) throws(PublisherStartError) {
        let (logger, gatekeeper, connections) = surroundings
        guard let liveWanted = options.effectiveLive else {
            throw .noLiveEndpoint(control: options.control)
        }
        let control = try PublisherSockets.control(context, connections)
        let live = try PublisherSockets.live(context, connections)
        let first = PublisherEndpoints(
            control: try PublisherSockets.bind(control, to: options.control, .control),
            live: try PublisherSockets.bind(live, to: liveWanted, .live))
        var bound = [first]
        if let second = options.access?.second {
            precondition(second.endpoints.count == 2, "a publisher has two sockets")
            bound.append(
                PublisherEndpoints(
                    control: try PublisherSockets.bind(
                        control, to: second.endpoints[0], .control, second.keys),
                    live: try PublisherSockets.bind(
                        live, to: second.endpoints[1], .live, second.keys)))
        }
        self.bound = bound
        advertised = PublisherEndpoints(
            control: Self.advertised(options.advertisedControl, for: first.control),
            live: Self.advertised(options.advertisedLive, for: first.live))
        self.control = control
        self.live = LiveChannel(
            live,
            boundTo: zip(bound, [nil, options.access?.second?.keys]).map { ($0.live, $1) },
            in: context, connections, logger)
        self.logger = logger
        self.gatekeeper = gatekeeper
        isAudited = options.audit != nil
        access = options.access == nil ? nil : .empty
    }

    /// The endpoint that others are told, with the server key of the bound one.
    private static func advertised(_ told: Endpoint?, for bound: Endpoint) -> Endpoint {
        told?.withServerKey(bound.serverKey) ?? bound
    }

    // MARK: Waiting

    /// Adds both sockets to what is waited for.
    mutating func watch(with poller: inout Poller) {
        watchControl(with: &poller)
        live.watch(with: &poller)
    }

    func watchControl(with poller: inout Poller) { _ = poller.add(control, for: .readable) }

    /// Whether there is another live socket to wait for.
    var isNew: Bool { live.isNew }

    /// The longest wait of a turn.
    var waitMax: Duration { live.waitMax }

    /// Binds the live channel's endpoints again, where that is due.
    mutating func bind() throws(ZeroMQError) { try live.bind() }

    // MARK: Coming in

    /// Receives at most ``PublisherServerLimits/messagesPerTurn`` requests.
    ///
    /// - Parameter take: is handed each request; `nil`: a message that is none of ours.
    mutating func takeRequests(
        _ take: ((UnsafeRawBufferPointer, RequestSender)?) -> Void
    ) throws(ZeroMQError) {
        for _ in 0..<PublisherServerLimits.messagesPerTurn {
            guard try control.receive(into: &name) else { return }
            // A ROUTER's messages begin with the peer's name; an empty rest is not one of ours.
            guard name.hasMore, try control.receive(into: &frame), !frame.hasMore,
                let peer = PeerID(name.bytes)
            else {
                while frame.hasMore, try control.receive(into: &frame) {}
                take(nil)
                continue
            }
            let principal = access == nil ? nil : frame.userNumber
            let sender = RequestSender(
                peer, principal: PrincipalNumber(rawValue: principal ?? 0),
                address: isAudited ? frame.peerAddress ?? "" : "")
            take((frame.bytes, sender))
        }
    }

    /// - Parameter subscribed: called for each subscription.
    mutating func takeSubscriptions(_ subscribed: () -> Void) throws(ZeroMQError) {
        for _ in 0..<PublisherServerLimits.messagesPerTurn {
            guard try live.receive(into: &frame) else { return }
            // 1 and a topic subscribes, 0 and a topic unsubscribes; anything else is noise.
            if frame.bytes.first == 1 { subscribed() }
            if case .tooMany(let key) = live.note(frame) {
                return try cutOff(key)
            }
        }
    }

    /// A subscriber asks for topics without end. libzmq keeps them until their connections end, so
    /// all connections are closed. The key with the most topics is banned for a while.
    private mutating func cutOff(_ principal: UInt32?) throws(ZeroMQError) {
        logger.warning(
            """
            a client subscribes to too many topics, of which there are two: the live channel is \
            reopened, and the client's key banned from it for ten minutes
            """,
            metadata: ["key": "\(principal.flatMap { fingerprint(of: $0) } ?? "none")"])
        if let principal { gatekeeper?.ban(PrincipalNumber(rawValue: principal)) }
        try live.reopen()
    }

    private func fingerprint(of principal: UInt32) -> String? {
        access?.entry(of: PrincipalNumber(rawValue: principal))?.key.fingerprint
    }

    // MARK: Rights

    /// Applies a new access table. If a subscriber lost its right to listen, all connections of the
    /// live channel are closed: a single connection cannot be.
    mutating func admit(_ table: AccessTable) throws(ZeroMQError) {
        let mustCut = access?.followers(lostIn: table) ?? false
        access = table
        guard mustCut else { return }
        logger.notice("a key may not follow any more: the live channel is reopened")
        try live.reopen()
    }

    // MARK: Going out

    func broadcast(_ bytes: [UInt8]) throws(ZeroMQError) { try live.broadcast(bytes) }

    /// Sends one reply.
    ///
    /// - Returns: whether it was sent; a peer that is gone or slow loses it.
    mutating func reply(
        _ bytes: [UInt8], to peer: PeerID, of principal: PrincipalNumber
    ) throws(ZeroMQError) -> Bool {
        guard var frame = untaken.frame(bytes, to: peer, of: principal) else { return false }
        let outcome = try peer.withBytes { name throws(ZeroMQError) in
            try control.send(name, more: true)
        }
        guard outcome == .sent else { return false }
        _ = try control.send(&frame, more: false)
        return true
    }
}
