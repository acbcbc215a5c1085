import CacheClientCore
import CacheModel
import CacheWire
import Synchronization
import Threading
import ZeroMQ

/// The reader's reference to the thread that follows the log: the thread ends when it is released.
final class EventFeed: Sendable {
    enum Start: Sendable {
        /// With the live channel, after a position; `nil` begins at the head.
        case live(LogPosition?, isVoid: Bool)
        /// With requests, after a position that the publisher returned.
        case part(LogMark, isVoid: Bool)
    }

    let queue = EventQueue()
    private let wakeup: Wakeup
    private let isOver: OverFlag

    /// Starts following.
    ///
    /// - Parameter start: where to begin, on the live channel or with requests for a part of the
    ///   log.
    init(
        _ loop: ClientLoop, _ topology: Topology, from start: Start
    ) throws(CacheError) {
        let live: Endpoint
        let control: Endpoint
        do {
            live = try Endpoint(topology.liveEndpoint, for: .connecting)
            control = try Endpoint(topology.controlEndpoint, for: .connecting)
            wakeup = try Wakeup()
        } catch {
            throw CacheError(.disconnected, "the publisher's place is not known: \(error)")
        }
        isOver = OverFlag()
        if case .part = start { queue.showsPart() }
        let link = EventLink(
            context: loop.context, live: live, control: control, wakeup: wakeup,
            cluster: topology.cluster, keys: loop.configuration.keys?.pair)
        do {
            _ = try OwnedThread(name: "client-events") { [queue, isOver] in
                // The context is shut down when the client is closed, which ends the stream.
                do {
                    try Self.follow(link, from: start, queue, isOver)
                } catch {}
                queue.end()
            }
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    private static func follow(
        _ link: EventLink, from start: Start, _ queue: EventQueue, _ isOver: OverFlag
    ) throws(ZeroMQError) {
        // One connection throughout: a key that was removed from the access list gets no new one.
        let asker = try Socket(link.context, .dealer)
        try asker.connect(link.control)
        var place: LogMark?
        let isPlaceVoid: Bool
        switch start {
        case .part(let mark, let isVoid): (place, isPlaceVoid) = (mark, isVoid)
        case .live(let position, let isVoid):
            var worker = EventWorker(
                follower: InvalidationFollower(after: position, isVoid: isVoid), queue: queue,
                cluster: link.cluster)
            guard try worker.run(link, asker, isOver) == .turnedAway else { return }
            // A client that has lost the right to the whole log may still read a part of it.
            place = worker.follower.position.map { LogMark(position: $0, digest: LogDigest(0)) }
            isPlaceVoid = worker.follower.isStillVoid
        }
        queue.showsPart()
        var worker = PartWorker(
            after: place, isVoid: isPlaceVoid, queue: queue, cluster: link.cluster)
        try worker.run(link, asker, isOver)
    }

    deinit {
        isOver.raise()
        wakeup.signal()
    }
}

/// A flag that one side raises and the other sees.
final class OverFlag: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() { flag.store(true, ordering: .releasing) }
}

/// The endpoints of the thread that follows the log, and its wakeup.
struct EventLink: Sendable {
    let context: Context
    let live: Endpoint
    let control: Endpoint
    let wakeup: Wakeup
    /// The cluster of that publisher, sent with each question; none if it is unknown.
    let cluster: ClusterID
    let keys: CurveKeyPair?
}

/// Tests whether the live channel admits the client before the client follows it. The live channel
/// sends no refusals: a client without permission hears silence, as with a publisher that is down.
/// So the client tries a handshake first.
extension EventFeed {
    /// An answer takes a moment; only a publisher that is down takes longer.
    private static let patience: Duration = .seconds(5)

    /// Whether the live channel refuses this client's key.
    static func isTurnedAway(_ loop: ClientLoop, _ topology: Topology) async -> Bool {
        guard let keys = loop.configuration.keys?.pair else { return false }
        let outcome = await withCheckedContinuation { continuation in
            do {
                // The handshake blocks, so it has a thread of its own.
                _ = try OwnedThread(name: "client-knock") { [context = loop.context] in
                    continuation.resume(
                        returning: knock(at: topology.liveEndpoint, keys, context))
                }
            } catch {
                continuation.resume(returning: .unanswered)
            }
        }
        return outcome == .refused
    }

    private static func knock(
        at live: String, _ keys: CurveKeyPair, _ context: Context
    ) -> HandshakeOutcome {
        do {
            return try knock(at: Endpoint(live, for: .connecting), .sub, keys, context)
        } catch {
            // The feed that follows reports this error.
            return .unanswered
        }
    }

    /// Tests whether an endpoint admits a key. Waits for at most five seconds.
    static func knock(
        at endpoint: Endpoint, _ kind: Socket.Kind, _ keys: CurveKeyPair, _ context: Context
    ) throws(ZeroMQError) -> HandshakeOutcome {
        try HandshakeProbe.knock(
            at: endpoint, kind, as: .holder(keys), patience: patience, in: context)
    }
}
