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

/// Counts the topics of subscribers. libzmq keeps each topic for as long as its subscriber is
/// connected, so a client with a right to listen could fill the memory with topics that no message
/// has.
///
/// Each topic counts for the key that asked for it first, until no subscriber wants it any more: no
/// key is cut off for the topics of others.
struct TopicWatch {
    /// The decision about a subscription.
    enum Verdict: Equatable {
        case fine
        /// There are too many topics, and this key has asked for the most; `nil`: access control is
        /// off.
        case tooMany(of: UInt32?)
    }

    /// Topics that are none of ours, and the key that asked for each first.
    private var owners: [[UInt8]: UInt32?] = [:]
    private var counts: [UInt32?: Int] = [:]

    /// - Parameters:
    ///   - message: 1 and a topic subscribes; 0 and a topic: no subscriber wants it any more.
    ///   - principal: the number of the sender's key; `nil` where access control is off.
    mutating func note(
        _ message: UnsafeRawBufferPointer, by principal: UInt32?
    ) -> Verdict {
        guard let first = message.first, first <= 1 else { return .fine }
        let topic = UnsafeRawBufferPointer(rebasing: message.dropFirst())
        guard !Self.isWanted(topic) else { return .fine }
        let name = [UInt8](topic)
        guard first == 1 else {
            if let owner = owners.removeValue(forKey: name) { counts[owner, default: 1] -= 1 }
            return .fine
        }
        guard owners[name] == nil else { return .fine }
        owners[name] = .some(principal)
        counts[principal, default: 0] += 1
        if counts[principal, default: 0] > PublisherServerLimits.strangeTopicsMax {
            return .tooMany(of: principal)
        }
        guard owners.count > PublisherServerLimits.strangeTopicsTotalMax else { return .fine }
        let most = counts.max { $0.value < $1.value }
        return .tooMany(of: most?.key ?? principal)
    }

    /// Forgets all topics: their connections are closed.
    mutating func forget() { (owners, counts) = ([:], [:]) }

    /// Whether messages are sent under a topic: it is a prefix of one of ours.
    private static func isWanted(_ topic: UnsafeRawBufferPointer) -> Bool {
        [MessageType.records, .heartbeat].contains { type in
            MessageHeader.topic(of: type).starts(with: topic)
        }
    }
}
