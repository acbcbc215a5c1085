import ByteCoding
package import CacheAccess
package import CacheInvalidation
import CacheMetrics
package import CacheModel
import CacheWire

/// The publisher's mind: it numbers invalidations, says where the log stands, replays, grants
/// leases and tells who has obeyed.
///
/// One thread owns it and feeds it; it touches nothing itself. A turn of that thread is
///
///     control ROUTER ──▶ received(…)  ×n ─┐
///     live XPUB ───────▶ subscribed(…) ───┤ actions
///     a slow log ──────▶ appended(…) ─────┤
///     clock ───────────▶ tick(…)  once ───┘──▶ reply(peer, frame), broadcast(frame)
///
/// - ``received(_:from:now:into:)`` answers at once what can be answered at once. Invalidations
///   only queue up.
/// - ``tick(now:into:)`` ends the turn: grants that ran out, then one append of everything that
///   queued up and its broadcast, then the receipts that became due, and a bounded part of the
///   replays that wait.
/// - ``appended(_:now:into:)`` tells what became of an append that the log could not do at once.
///   Until then nobody hears of its records, and what arrives meanwhile is the next append's.
///
/// It never trusts a frame: what cannot be read is answered with ERROR and counted, and nothing a
/// peer sends can trap. It never waits, and each of its tables has a bound beyond which it answers
/// BUSY. It never claims more than it knows: a mark counts only if its digest is the log's.
package struct PublisherMind<Log: InvalidationLog>: ~Copyable {
    /// Whom an answer goes to.
    struct Asker: Hashable {
        let peer: PeerID
        let requestID: UInt64
        /// Whose key it has shown; unknown where nobody is asked who they are.
        var principal = PrincipalNumber.unknown
        /// Who that is, for the audit log; `nil` for what is not noted there.
        var party: AuditParty?
    }

    /// A replay that was sent to a peer.
    struct ReplaySent: Hashable {
        let peer: PeerID
        let after: LogMark
    }

    /// An invalidation between its arrival and the append.
    struct Queued {
        /// `nil`: an echo or a slice, for which nobody waits.
        let asker: Asker?
        let request: InvalidateRequest
        let deadline: Instant
        let bytes: Int
        /// Of which pacing it is a slice.
        var pacing: PacingID?
        /// What it says of the members of the cluster.
        var told: MembershipDesk.Told?
    }

    /// An invalidation that has its number, or had it before.
    struct Placed {
        let queued: Queued
        let position: LogPosition
    }

    /// Who waits for a receipt.
    struct Waiting {
        let asker: Asker
        /// Whether it asked for a record that was in the log already.
        let isQuestion: Bool
        /// Whether it may be told who ordered that record: who sees all of the log may.
        var isToldIssuer = false
    }

    /// How the pacings are kept beside the log.
    struct PaceKeeping {
        /// Who waits for which order to be kept.
        struct Waiting {
            let asker: Asker
            let id: PacingID
            let isCancelling: Bool
        }

        /// Something changed that is not on its way to where it is kept.
        var isDue = false
        /// Somebody waits for that.
        var isUrgent = false
        /// Not before this moment, if nobody waits.
        var notBefore: Instant?
        /// Those whose orders are being kept, and the newest order among what is; `nil` if nothing
        /// is on its way.
        var underWay: (waiting: [Waiting], newest: PacingID)?
        /// Those whose orders are not on their way yet.
        var waiting: [Waiting] = []
    }

    /// What the log is writing.
    struct Appending {
        let ticket: LogTicket
        let batch: [SealedRecord]
        let placed: [Placed]
        /// Who is waited for, if that is not asked once the records are the head.
        let holders: GrantTable?
    }

    var plan: PublisherPlan
    /// Who may do what; `nil`: nobody is asked who they are.
    var access: AccessTable?
    /// Who sent the message that is being taken, if that was asked.
    var sender: AccessEntry?
    /// What each key has used up of what it may ask.
    var budgets = Budgets()
    /// Whether what somebody may ask about later is told: ``PublisherAction/audit(_:)``.
    package var isAudited = false
    /// From where the message comes that is taken next; empty where nobody knows.
    package var senderAddress = ""
    /// How many denials of each key were noted.
    var denials = DenialBudget()
    package var log: Log
    /// Names the log if it has to begin anew.
    let freshID: LogID
    /// Whether the log had lost its records when this publisher began.
    let isHistoryBorrowed: Bool
    /// Whether this publisher has written to the log.
    var hasAppended = false
    var grants: GrantTable
    var receipts = ReceiptTracker()
    var operations = OperationMemory()
    var queue: [Queued] = []
    var queuedBytes = 0
    /// What each key has of the room for what is queued, being appended or waited for.
    var waitShares = WaitShares()
    var echoes = EchoBook()
    var pacings = PacingBook()
    var paceKeeping = PaceKeeping()
    var membership: MembershipDesk
    var lives = LifeBook()
    var lifeKeeping = LifeKeeping()
    var appending: Appending?
    var waiting: [ReceiptTracker.Token: Waiting] = [:]
    /// How long nodes took to obey what receipts were waited for.
    var appliedTimes = DurationHistogram(.long)
    /// Who ordered the newest records.
    var recent = RecentRecords()
    var lastToken: UInt64 = 0
    /// Which replays were sent in this turn. A node asks again on each heartbeat, and one that
    /// wakes up has many of them waiting: the same question is answered once a turn.
    var replaysSent: Set<ReplaySent> = []
    /// What this turn may still send of replays, and who waits for the next.
    var replayBytesLeft = PublisherLimits.replayTurnBytesMax
    var replays = ReplayQueue<Asker>()
    /// How many epochs may be opened because a node knows better.
    var epochsOnWord = EpochBudget()
    /// Who waits for what it may see of the log.
    var follows = FollowBook()
    /// When the last turn ended.
    var turnEndedAt: Instant
    /// Whether ``stop(into:)`` was called.
    var isStopping = false
    /// Who was sent a part of the floors in this turn: one each.
    var floorsSent: Set<PeerID> = []
    /// What the log has touched; `nil` until it is known where it stands.
    package internal(set) var floors: FloorSnapshot?
    /// Whether what was touched before this publisher began is still being read.
    package internal(set) var areFloorsComing: Bool
    /// Who introduced itself before the log knew where it stands.
    var welcomes: [(run: NodeRun, asker: Asker)] = []
    /// Which cluster this is, and where its nodes say that a lost log stands.
    var identity = ClusterIdentity()
    /// What the nodes said about their shards.
    var places: [NodeID: NodePlaces] = [:]
    var topologyVersion: UInt32
    var lastHeartbeat: Instant?
    var nextHeartbeat: Instant
    /// Of its process, counted by the shell; `nil`: nobody has.
    package var descriptors: DescriptorUsage?
    package var statistics = PublisherStatistics()
    var writer = ByteWriter(capacityBytes: 64 << 10)

    /// A mind that has heard nobody yet.
    ///
    /// - Parameters:
    ///   - log: with a history, or without one if its records were lost.
    ///   - freshID: drawn at random; names the log if no node knows an older one.
    ///   - topologyVersion: where to count from, drawn at random: no version is one of an earlier
    ///     publisher's, so that everybody asks anew.
    package init(
        plan: PublisherPlan, log: Log, freshID: LogID, topologyVersion: UInt32, now: Instant
    ) {
        precondition(freshID != .none, "a log has a name, and zero is none")
        self.plan = plan
        self.log = log
        self.freshID = freshID
        self.topologyVersion = topologyVersion
        membership = MembershipDesk(
            plan, hasRecords: log.outlivesItsProcess && log.head.position.sequence != .none)
        isHistoryBorrowed = !log.hasHistory && !log.outlivesItsProcess
        grants = GrantTable(
            nodes: plan.nodes.map(\.id), lease: plan.lease,
            inherited: log.inheritedLease.map { .known($0) } ?? .unknown(atMost: plan.leaseMax),
            start: now, guards: plan.guards)
        nextHeartbeat = now
        turnEndedAt = now
        areFloorsComing = log.areFloorsComing
        if log.hasHistory {
            floors = FloorSnapshot(
                of: log.id, at: log.head, isCertain: log.head.position.sequence == .none)
        }
        recallOperations()
    }

    /// One frame came in on the control channel.
    ///
    /// Never traps, whatever the bytes are. The frame is only looked at during the call.
    ///
    /// - Parameter principal: whose key the sender has shown.
    package mutating func received(
        _ frame: UnsafeRawBufferPointer, from peer: PeerID,
        of principal: PrincipalNumber = .unknown, now: Instant,
        into actions: inout [PublisherAction]
    ) {
        statistics.messages += 1
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            sender = try authorise(message, by: principal)
            try charge(message, frame.count, of: principal, now: now)
            let asker = Asker(
                peer: peer, requestID: message.requestID,
                principal: sender == nil ? .unknown : principal, party: party(of: message))
            let before = actions.count
            try take(message, from: asker, now: now, into: &actions)
            pay(for: actions[before...], now: now)
        } catch {
            if error.code == .unauthorised {
                statistics.denied += 1
                noteDenial(of: frame, by: principal, error, now: now, into: &actions)
            }
            guard isRefusalSaid(to: principal, now: now) else { return }
            let asker = Asker(
                peer: peer, requestID: MessageHeader.requestID(ofDamaged: frame))
            refuse(
                asker, error.code, error.sentence, retryAfter: error.retryAfterMilliseconds,
                into: &actions)
        }
    }

    /// A message came in that cannot be answered: one of several frames, which version 1 does not
    /// have, or one whose sender has too long a name. It is passed over and counted.
    package mutating func passedOver() {
        statistics.messages += 1
        statistics.refused += 1
    }

    private mutating func take(
        _ message: MessageView, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        // HELLO says to which cluster a node belonged.
        guard message.type == .hello || !message.fields.cluster.contradicts(identity.id) else {
            guard message.type.isAnswered else {
                statistics.refused += 1
                return
            }
            throw .wrongCluster
        }
        guard !isStopping else {
            if message.type == .invalidate { refuseAtTheEnd(asker, into: &actions) }
            return
        }
        switch message.type {
        case .hello: try takeHello(message, from: asker, now: now, into: &actions)
        case .resume: try takeResume(message, from: asker, now: now, into: &actions)
        case .ping: try takePing(message, from: asker, now: now, into: &actions)
        case .ack: try takeAck(message, now: now)
        case .bye: try takeBye(message, now: now)
        case .floors: try takeFloors(message, from: asker, now: now, into: &actions)
        case .invalidate: try takeInvalidate(message, from: asker, now: now, into: &actions)
        case .awaitReceipt: try takeAwait(message, from: asker, now: now, into: &actions)
        case .forget: try takeForget(message, from: asker, now: now, into: &actions)
        case .follow: try takeFollow(message, from: asker, now: now, into: &actions)
        case .pace: try takePace(message, from: asker, now: now, into: &actions)
        case .status: try answerStatus(message, to: asker, now: now, into: &actions)
        case .topology: try answerTopology(message, to: asker, now: now, into: &actions)
        case .config: try answerConfiguration(message, to: asker, into: &actions)
        case .error:
            // An error is never answered with an error: two sides would do so for ever.
            statistics.refused += 1
        default:
            refuse(asker, .unsupported, Self.whyUnsupported(message.type), into: &actions)
        }
    }

    private static func whyUnsupported(_ type: MessageType) -> String {
        switch type {
        case .get, .set, .delete, .touch, .chunk, .scan, .explain, .count:
            "the publisher holds no entries; ask the shards that its topology lists"
        case .drain:
            "a node leaves by its own doing; ask one of its shards, which the topology lists"
        default: "the publisher is not asked this; it is an answer or belongs to the live channel"
        }
    }

    // MARK: Answering

    /// Sends what `encode` writes, unless it outgrows a frame.
    mutating func reply(
        to asker: Asker, into actions: inout [PublisherAction],
        _ encode: (inout ByteWriter) -> Void
    ) {
        writer.removeAll()
        encode(&writer)
        guard writer.count <= WireLimits.frameBytesMax else {
            return refuse(
                asker, .outOfRange, "the answer is longer than a frame of 1048576 bytes",
                into: &actions)
        }
        actions.append(.reply(asker.peer, writer.array, of: asker.principal))
    }

    /// Refuses a message.
    ///
    /// - Parameter retryAfter: of `busy`, in milliseconds; `nil`: as always.
    mutating func refuse(
        _ asker: Asker, _ code: ErrorCode, _ sentence: String, retryAfter: UInt32? = nil,
        into actions: inout [PublisherAction]
    ) {
        statistics.refused += 1
        var error = ErrorReply(code, sentence)
        if code == .busy {
            statistics.busy += 1
            error.retryAfterMilliseconds = retryAfter ?? PublisherLimits.retryAfterMilliseconds
        }
        reply(to: asker, into: &actions) { error.encode(requestID: asker.requestID, into: &$0) }
    }
}

extension MessageType {
    /// Whether its sender waits for a word.
    fileprivate var isAnswered: Bool { ![.ack, .bye, .error].contains(self) }
}
