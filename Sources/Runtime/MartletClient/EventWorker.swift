import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// The thread that follows the log: a SUB to the live channel and a DEALER for replays.
struct EventWorker: ~Copyable {
    enum Ending {
        case over
        /// The key may not follow the whole log, or no longer.
        case turnedAway
    }

    private(set) var follower: InvalidationFollower
    let queue: EventQueue
    private var writer = ByteWriter()
    private var frame = Frame()
    private var requestID: UInt64 = 0
    private var heardAt = MonotonicClock.now
    private var isTurnedAway = false
    /// Sent with each request; none once the publisher has answered that it is of another cluster.
    private var cluster: ClusterID
    /// Whether the start position is known to be of that cluster, without a request.
    private var isPlaceProven: Bool
    /// Unanswered requests during a silence.
    private var probeCount = 0

    init(follower: InvalidationFollower, queue: EventQueue, cluster: ClusterID) {
        self.follower = follower
        self.queue = queue
        self.cluster = cluster
        isPlaceProven = follower.position == nil || follower.isStillVoid || cluster == .none
    }

    mutating func run(
        _ link: EventLink, _ asker: borrowing Socket, _ isOver: OverFlag
    ) throws(ZeroMQError) -> Ending {
        let subscriber = try Socket(link.context, .sub)
        try subscriber.subscribe(prefix: MessageHeader.topic(of: .records))
        try subscriber.subscribe(prefix: MessageHeader.topic(of: .heartbeat))
        try subscriber.connect(link.live)
        var poller = Poller()
        let bell = poller.add(link.wakeup)
        _ = poller.add(subscriber, for: .readable)
        _ = poller.add(asker, for: .readable)
        while !isOver.isRaised {
            _ = try poller.wait(timeout: link.keys == nil ? nil : ClientLimits.liveSilenceMax)
            if poller.isReady(bell) { link.wakeup.drain() }
            while try subscriber.receive(into: &frame) {
                heardAt = MonotonicClock.now
                try take(asker)
            }
            while try asker.receive(into: &frame) {
                probeCount = 0
                try take(asker)
            }
            if let keys = link.keys { try askIfSilent(asker, link, keys) }
            guard !isTurnedAway else { return .turnedAway }
        }
        return .over
    }

    /// A client that has lost the right to listen hears only silence on the live channel. The
    /// control endpoint reports the refusal; if that is silent too, a handshake finds out.
    private mutating func askIfSilent(
        _ asker: borrowing Socket, _ link: EventLink, _ keys: CurveKeyPair
    ) throws(ZeroMQError) {
        let now = MonotonicClock.now
        guard now.elapsed(since: heardAt) >= ClientLimits.liveSilenceMax else { return }
        if probeCount >= ClientLimits.silencesMax {
            probeCount = 0
            isTurnedAway =
                try EventFeed.knock(at: link.live, .sub, keys, link.context) == .refused
        }
        probeCount += 1
        heardAt = MonotonicClock.now
        try ask(asker, follower.probe)
    }

    private mutating func ask(
        _ asker: borrowing Socket, _ resume: Resume
    ) throws(ZeroMQError) {
        requestID += 1
        writer.removeAll()
        resume.encode(requestID: requestID, into: &writer)
        let message = writer.array
        writer.removeAll()
        MessageWriter.append(message, from: cluster, to: &writer)
        // An unsent request counts as lost: the next heartbeat asks again.
        _ = try asker.send(writer.bytes, more: false)
    }

    /// Decodes the received frames, and performs the follower's actions.
    private mutating func take(_ asker: borrowing Socket) throws(ZeroMQError) {
        for action in understood() {
            switch action {
            case .deliver(let record): queue.append(.record(record))
            case .heartbeat(let head):
                queue.append(.heartbeat(head: head))
                // Without records since, no other request is sent.
                if !isPlaceProven { try ask(asker, follower.probe) }
            case .lost(let after, let continuingAfter):
                queue.append(.lost(after: after, continuingAfter: continuingAfter))
            case .resume(let log, let mark):
                try ask(
                    asker,
                    Resume(
                        incarnation: .none, log: log, after: mark,
                        limit: ClientLimits.replayRecordsMax))
            }
        }
    }

    private mutating func refused(_ error: ErrorReply) {
        switch error.knownCode {
        case .unauthorised: isTurnedAway = true
        case .wrongCluster:
            cluster = .none
            isPlaceProven = true
            follower.isElsewhere()
        default: break
        }
    }

    private mutating func understood() -> [InvalidationFollower.Action] {
        let room = queue.room
        do {
            let message = try MessageView(decoding: frame.bytes)
            switch message.type {
            case .heartbeat:
                return follower.heard(try Heartbeat(decoding: message.body), room: room)
            case .records:
                return follower.received(try RecordRun(decoding: message), room: room)
            case .replay:
                isPlaceProven = true
                return follower.received(try RecordRun(decoding: message), room: room)
            case .truncated:
                isPlaceProven = true
                return follower.truncated(try Truncated(decoding: message.body), room: room)
            case .error:
                refused(try ErrorReply(decoding: message))
                return []
            default: return []
            }
        } catch {
            // An unreadable message counts as lost, and lost records are requested again.
            return []
        }
    }
}
