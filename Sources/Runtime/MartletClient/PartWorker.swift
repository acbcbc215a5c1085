import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// The thread that follows the part of the log that one key may read: a DEALER to the publisher,
/// and one request at a time.
struct PartWorker: ~Copyable {
    private var follower: PartFollower
    private let queue: EventQueue
    private var writer = ByteWriter()
    private var frame = Frame()
    private var hasEnded = false
    /// Sent with each request; none once the publisher has answered that it is of another cluster.
    private var cluster: ClusterID
    private var report = LeaderReport()

    init(after place: LogMark?, isVoid: Bool, queue: EventQueue, cluster: ClusterID) {
        follower = PartFollower(after: place, isVoid: isVoid, now: MonotonicClock.now)
        self.queue = queue
        self.cluster = cluster
    }

    /// - Parameter asker: a socket that is connected to the publisher.
    /// - Returns: the publisher that leads by now; `nil` if the stream is over.
    mutating func run(
        _ link: EventLink, _ asker: borrowing Socket, _ isOver: OverFlag
    ) throws(ZeroMQError) -> EventLink? {
        follower.moves(now: MonotonicClock.now)
        var poller = Poller()
        let bell = poller.add(link.wakeup)
        _ = poller.add(asker, for: .readable)
        while !isOver.isRaised, !hasEnded {
            if let next = link.next { return next }
            follower.isOneOfSeveral = link.isOneOfSeveral
            try ask(asker)
            if follower.isOneOfSeveral, follower.isSilent {
                report.send(.silent, of: link, at: MonotonicClock.now)
            }
            _ = try poller.wait(timeout: follower.nextLook.elapsed(since: MonotonicClock.now))
            if poller.isReady(bell) { link.wakeup.drain() }
            while try asker.receive(into: &frame) { take(link) }
            if follower.isLongSilent { try knock(link) }
        }
        return nil
    }

    /// A publisher that refuses the key at the handshake is as silent as one that is down.
    private mutating func knock(_ link: EventLink) throws(ZeroMQError) {
        follower.startsAnew()
        guard let keys = link.keys,
            try EventFeed.knock(at: link.control, .dealer, keys, link.context) == .refused
        else { return }
        hasEnded = true
        let sentence =
            "the publisher turns your key away: it is not in the list, or not any more"
        queue.end(because: CacheError(.unauthorised, sentence))
    }

    private mutating func ask(_ asker: borrowing Socket) throws(ZeroMQError) {
        guard let next = follower.question(room: queue.room, now: MonotonicClock.now)
        else { return }
        writer.removeAll()
        next.request.encode(requestID: next.requestID, into: &writer)
        let message = writer.array
        writer.removeAll()
        MessageWriter.append(message, from: cluster, to: &writer)
        // An unsent request counts as lost: it is repeated after a while.
        _ = try asker.send(writer.bytes, more: false)
    }

    private mutating func take(_ link: EventLink) {
        for action in understood(link) {
            switch action {
            case .deliver(let record): queue.append(.record(record))
            case .heartbeat(let head): queue.append(.heartbeat(head: head))
            case .lost(let after, let continuingAfter):
                queue.append(.lost(after: after, continuingAfter: continuingAfter))
            case .behind:
                report.send(.denied(naming: nil), of: link, at: MonotonicClock.now)
            case .end(let error):
                hasEnded = true
                let code: CacheError.Code =
                    error.knownCode == .unauthorised ? .unauthorised : .refused
                queue.end(because: CacheError(code, error.message))
            }
        }
    }

    private mutating func understood(_ link: EventLink) -> [PartFollower.Action] {
        let now = MonotonicClock.now
        do {
            let message = try MessageView(decoding: frame.bytes)
            switch message.type {
            case .followed:
                return follower.answered(
                    try Followed(decoding: message), to: message.requestID, now: now)
            case .notLeader:
                let other = try NotLeader(decoding: message.body).controlEndpoint
                report.send(.denied(naming: other.isEmpty ? nil : other), of: link, at: now)
                follower.denied(message.requestID, now: now)
                return []
            case .error:
                let error = try ErrorReply(decoding: message)
                if error.knownCode == .wrongCluster { cluster = .none }
                return follower.refused(error, to: message.requestID, now: now)
            default: return []
            }
        } catch {
            // An unreadable message counts as lost, and lost records are requested again.
            return []
        }
    }
}
