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
        let link: EventLink
        do {
            wakeup = try Wakeup()
            link = try EventLink(to: LeaderNews.Place(topology), loop, wakeup)
        } catch {
            throw CacheError(.disconnected, "the publisher's place is not known: \(error)")
        }
        isOver = OverFlag()
        if case .part = start { queue.showsPart() }
        do {
            _ = try OwnedThread(name: "client-events") { [queue, isOver] in
                // The context is shut down when the client is closed, which ends the stream.
                let follower = loop.leader.add(link.wakeup)
                do {
                    try Self.follow(link, from: start, queue, isOver)
                } catch {}
                loop.leader.remove(follower)
                queue.end()
            }
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    private static func follow(
        _ link: EventLink, from start: Start, _ queue: EventQueue, _ isOver: OverFlag
    ) throws(ZeroMQError) {
        switch start {
        case .part(let mark, let isVoid):
            let asker = try link.connect()
            var worker = PartWorker(
                after: mark, isVoid: isVoid, queue: queue, cluster: link.place.cluster)
            try follow(&worker, link, asker, isOver)
        case .live(let position, let isVoid):
            let worker = EventWorker(
                follower: InvalidationFollower(after: position, isVoid: isVoid), queue: queue,
                cluster: link.place.cluster)
            try follow(worker, link, queue, isOver)
        }
    }

    /// Follows the whole log, at one publisher after another.
    private static func follow(
        _ worker: consuming EventWorker, _ first: EventLink, _ queue: EventQueue,
        _ isOver: OverFlag
    ) throws(ZeroMQError) {
        var link = first
        while true {
            // One connection to a publisher: a key that was removed from the access list gets no
            // new one.
            let asker = try link.connect()
            switch try worker.run(link, asker, isOver) {
            case .over: return
            case .moved(let next): link = next
            case .turnedAway:
                // A client that has lost the right to the whole log may still read a part of it.
                let place = worker.follower.position.map {
                    LogMark(position: $0, digest: LogDigest(0))
                }
                queue.showsPart()
                var part = PartWorker(
                    after: place, isVoid: worker.follower.isStillVoid, queue: queue,
                    cluster: link.place.cluster)
                return try follow(&part, link, asker, isOver)
            }
        }
    }

    /// Follows a part of the log, at one publisher after another.
    private static func follow(
        _ worker: inout PartWorker, _ first: EventLink, _ asker: borrowing Socket,
        _ isOver: OverFlag
    ) throws(ZeroMQError) {
        guard var link = try worker.run(first, asker, isOver) else { return }
        while let next = try worker.run(link, link.connect(), isOver) { link = next }
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
