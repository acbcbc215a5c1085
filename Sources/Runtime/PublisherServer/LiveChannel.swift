import AccessControl
import CacheModel
import CacheWire
import Logging
import Threading
import ZeroMQ

/// The publisher's live channel: its socket, its endpoints, and the topics of its subscribers.
///
/// A single connection of it cannot be closed. To close all of them, the socket is opened anew and
/// its endpoints are bound again, over as many turns as that takes: there may be no descriptor for
/// a moment, and libzmq's own thread closes the old socket's listeners a moment later. Meanwhile,
/// however long that takes, nodes request the records they miss. If the publisher ended instead,
/// it could cost them all their entries.
struct LiveChannel: ~Copyable {
    /// A bound endpoint, and the key pair of its listener; `nil`: the process's own, if it has one.
    typealias Place = (endpoint: Endpoint, keys: CurveKeyPair?)

    /// Endpoints that wait to be bound again.
    private struct Unbound {
        var since: Instant
        /// Their indices among all places.
        var left: [Int]
        /// Whether the socket to bind is yet to be opened. Until then nothing is sent: subscribers
        /// of the old one may have lost the right to listen.
        var isSocketOwed = true
        /// Whether it was logged that this takes long.
        var isSaid = false
    }

    private var socket: Socket
    /// Whether there is another socket to wait for.
    private(set) var isNew = false
    private var unbound: Unbound?
    private var topics = TopicWatch()
    private let places: [Place]
    private let context: Context
    private let connections: DescriptorGuard?
    private let logger: Logger

    /// - Parameter socket: bound to all `places`.
    init(
        _ socket: consuming Socket, boundTo places: [Place], in context: Context,
        _ connections: DescriptorGuard?, _ logger: Logger
    ) {
        self.socket = socket
        self.places = places
        self.context = context
        self.connections = connections
        self.logger = logger
    }

    /// Adds the socket to what is waited for.
    mutating func watch(with poller: inout Poller) {
        _ = poller.add(socket, for: .readable)
        isNew = false
    }

    /// The longest wait of a turn.
    var waitMax: Duration { PublisherServerLimits.waitMax(isUnboundFor: unbound?.isSaid) }

    mutating func receive(into frame: inout Frame) throws(ZeroMQError) -> Bool {
        try socket.receive(into: &frame)
    }

    mutating func note(_ subscription: borrowing Frame) -> TopicWatch.Verdict {
        topics.note(subscription.bytes, by: subscription.userNumber)
    }

    func broadcast(_ bytes: [UInt8]) throws(ZeroMQError) {
        guard unbound?.isSocketOwed != true else { return }
        var frame = Frame(copying: bytes)
        _ = try socket.send(&frame, more: false)
    }

    /// Closes all connections.
    mutating func reopen() throws(ZeroMQError) {
        // No subscriber can have connected since, so no connection has to be closed.
        guard unbound?.left.count != places.count else { return }
        for index in places.indices where unbound?.left.contains(index) != true {
            try socket.unbind(places[index].endpoint)
        }
        unbound = Unbound(since: MonotonicClock.now, left: Array(places.indices))
        try bind()
    }

    /// Opens the socket if it is owed, and binds its endpoints again, or leaves that to the next
    /// turn.
    mutating func bind() throws(ZeroMQError) {
        while let index = unbound?.left.last {
            let place = places[index]
            do throws(ZeroMQError) {
                if unbound?.isSocketOwed == true { try open() }
                try socket.bind(place.endpoint, domain: AccessDomain.live.zap, keys: place.keys)
            } catch {
                guard !error.isTerminated else { throw error }
                return reportUnbound(place.endpoint, error)
            }
            unbound?.left.removeLast()
        }
        if unbound?.isSaid == true { logger.notice("the live channel is bound again") }
        unbound = nil
    }

    private mutating func open() throws(ZeroMQError) {
        socket = try PublisherSockets.openLive(context, connections)
        topics.forget()
        isNew = true
        unbound?.isSocketOwed = false
    }

    private mutating func reportUnbound(_ place: Endpoint, _ error: ZeroMQError) {
        guard let (since, isSaid) = unbound.map({ ($0.since, $0.isSaid) }), !isSaid,
            MonotonicClock.now.elapsed(since: since) >= PublisherServerLimits.rebindPatience
        else { return }
        unbound?.isSaid = true
        logger.error(
            """
            the live channel's place cannot be bound again: it is tried on, and until then \
            nodes hear of invalidations late
            """,
            metadata: ["place": "\(place)", "reason": "\(error)"])
    }
}
