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
        /// Another publisher leads: the follower goes on there.
        case moved(EventLink)
    }

    private(set) var follower: InvalidationFollower
    let queue: EventQueue
    private var writer = ByteWriter()
    private var frame = Frame()
    private var requestID: UInt64 = 0
    private var heardAt = MonotonicClock.now
    /// When the last answer arrived.
    private var answeredAt = Instant(nanoseconds: 0)
    /// Whether a silence of a publisher that is one of several was answered by a request.
    private var isProbed = false
    private var isTurnedAway = false
    /// Sent with each request; none once the publisher has answered that it is of another cluster.
    private var cluster: ClusterID
    /// Whether the start position is known to be of that cluster, without a request.
    private var isPlaceProven: Bool
    /// Unanswered requests during a silence.
    private var probeCount = 0
    private var report = LeaderReport()
    private var lag = LagPatience()

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
        begins()
        var poller = Poller()
        let bell = poller.add(link.wakeup)
        _ = poller.add(subscriber, for: .readable)
        _ = poller.add(asker, for: .readable)
        while !isOver.isRaised {
            if let next = link.next { return .moved(next) }
            _ = try poller.wait(timeout: patience(link))
            if poller.isReady(bell) { link.wakeup.drain() }
            while try subscriber.receive(into: &frame) {
                heardAt = MonotonicClock.now
                try take(asker, link)
            }
            while try asker.receive(into: &frame) {
                probeCount = 0
                answeredAt = MonotonicClock.now
                try take(asker, link)
            }
            if link.isOneOfSeveral { try askIfLeaderIsSilent(asker, link) }
            if let keys = link.keys { try askIfSilent(asker, link, keys) }
            guard !isTurnedAway else { return .turnedAway }
        }
        return .over
    }

    /// A publisher is followed from now on.
    private mutating func begins() {
        heardAt = MonotonicClock.now
        probeCount = 0
        isTurnedAway = false
        isProbed = false
    }

    /// How long to sleep: without keys, and with one publisher, until something arrives.
    private func patience(_ link: EventLink) -> Duration? {
        if link.isOneOfSeveral { return ClientLimits.followSilenceMax / 3 }
        return link.keys == nil ? nil : ClientLimits.liveSilenceMax
    }

    /// After three heartbeats without a frame the publisher is asked for a sign of life. If there
    /// is none, the client's loop looks for another leader.
    private mutating func askIfLeaderIsSilent(
        _ asker: borrowing Socket, _ link: EventLink
    ) throws(ZeroMQError) {
        let now = MonotonicClock.now
        let silence = now.elapsed(since: max(heardAt, answeredAt))
        guard silence >= ClientLimits.followSilenceMax else {
            isProbed = false
            return
        }
        if !isProbed {
            isProbed = true
            try ask(asker, follower.probe)
        } else if silence >= ClientLimits.followSilenceMax + ClientLimits.publisherSilenceMax {
            report.send(.silent, of: link, at: now)
        }
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
    private mutating func take(
        _ asker: borrowing Socket, _ link: EventLink
    ) throws(ZeroMQError) {
        for action in understood(link) {
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

    private mutating func understood(_ link: EventLink) -> [InvalidationFollower.Action] {
        let room = queue.room
        do {
            let message = try MessageView(decoding: frame.bytes)
            switch message.type {
            case .heartbeat: return heard(try Heartbeat(decoding: message.body), link, room)
            case .records:
                return follower.received(try RecordRun(decoding: message), room: room)
            case .replay:
                isPlaceProven = true
                return follower.received(try RecordRun(decoding: message), room: room)
            case .truncated:
                isPlaceProven = true
                let answer = try Truncated(decoding: message.body)
                guard !ignores(answer.head.position, link) else { return [] }
                return follower.truncated(answer, room: room)
            case .notLeader:
                let other = try NotLeader(decoding: message.body).controlEndpoint
                report.send(
                    .denied(naming: other.isEmpty ? nil : other), of: link, at: MonotonicClock.now)
                return []
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

    private mutating func heard(
        _ heartbeat: Heartbeat, _ link: EventLink, _ room: Int
    ) -> [InvalidationFollower.Action] {
        guard heartbeat.log != .none else {
            // The only publisher gives its leadership to none.
            guard link.isOneOfSeveral else { return [] }
            report.send(.denied(naming: nil), of: link, at: MonotonicClock.now)
            return []
        }
        guard !ignores(heartbeat.head.position, link) else { return [] }
        return follower.heard(heartbeat, room: room)
    }

    /// Whether one of several publishers is behind: another one leads, and this one does not know.
    private mutating func ignores(_ head: LogPosition, _ link: EventLink) -> Bool {
        guard link.isOneOfSeveral else { return false }
        let now = MonotonicClock.now
        guard lag.ignores(isBehind: follower.isAhead(of: head), at: now) else { return false }
        report.send(.denied(naming: nil), of: link, at: now)
        return true
    }
}
