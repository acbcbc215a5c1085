import ByteCoding
package import CacheAccess
package import CacheInvalidation
import CacheMetrics
package import CacheModel
import CacheWire

/// The publisher's core: it numbers invalidations, decides where the log continues, replays
/// records, grants leases and reports which nodes have applied a record.
///
/// One thread owns and drives it; the core does no I/O. A turn of that thread is
///
///     control ROUTER ──▶ received(…)  ×n ─┐
///     live XPUB ───────▶ subscribed(…) ───┤ actions
///     a slow log ──────▶ appended(…) ─────┤
///     clock ───────────▶ tick(…)  once ───┘──▶ reply(peer, frame), broadcast(frame)
///
/// - ``received(_:from:now:into:)`` answers at once whatever can be answered at once. Invalidations
///   only queue up.
/// - ``tick(now:into:)`` ends the turn: it expires grants, appends and broadcasts all queued
///   invalidations at once, sends the receipts that became due, and answers a bounded part of the
///   waiting replays.
/// - ``appended(_:now:into:)`` reports the outcome of an append that the log could not do at once.
///   Until then its records are sent to no node, and later invalidations go into the next append.
///
/// It never trusts a frame: a frame that cannot be read is answered with ERROR and counted, and no
/// bytes of a peer can trap. It never blocks, and each of its tables has a bound beyond which it
/// answers BUSY. It never claims more than it knows: a mark counts only if its digest is the log's.
package struct PublisherMind<Log: InvalidationLog>: ~Copyable {
    /// The sender of a request, where its answer goes.
    struct Asker: Hashable {
        let peer: PeerID
        let requestID: UInt64
        /// The number of the key it has shown; unknown where access control is off.
        var principal = PrincipalNumber.unknown
        /// Its name for the audit log; `nil` for requests that are not audited.
        var party: AuditParty?
    }

    /// A replay that was sent to a peer.
    struct ReplaySent: Hashable {
        let peer: PeerID
        let after: LogMark
    }

    /// An invalidation between its arrival and the append.
    struct Queued {
        /// `nil`: an echo, a slice or a record of members, for which no client waits.
        let asker: Asker?
        let request: InvalidateRequest
        let deadline: Instant
        let bytes: Int
        /// The pacing that it is a slice of.
        var pacing: PacingID?
        /// Its statement about the members of the cluster.
        var told: MembershipDesk.Told?
    }

    /// An invalidation with a number, new or from an earlier attempt.
    struct Placed {
        let queued: Queued
        let position: LogPosition
    }

    /// A client that waits for a receipt.
    struct Waiting {
        let asker: Asker
        /// Whether it asked for a record that was in the log already.
        let isQuestion: Bool
        /// Whether the answer names the issuer of that record: only clients that see all of the log
        /// may know it.
        var isToldIssuer = false
    }

    /// The state of storing the pacings beside the log.
    struct PaceKeeping {
        /// A client that waits for its order to be stored.
        struct Waiting {
            let asker: Asker
            let id: PacingID
            let isCancelling: Bool
        }

        /// Whether a change is neither stored nor being stored.
        var isDue = false
        /// Whether a client waits for that.
        var isUrgent = false
        /// The earliest moment of the next write, if no client waits.
        var notBefore: Instant?
        /// The clients that wait for the table being stored, and the newest order in it; `nil` if
        /// none is being stored.
        var underWay: (waiting: [Waiting], newest: PacingID)?
        /// The clients that wait for a later write.
        var waiting: [Waiting] = []
    }

    /// An append that the log has not finished.
    struct Appending {
        let ticket: LogTicket
        let batch: [SealedRecord]
        let placed: [Placed]
        /// The grants when the append began, if its waits do not use those when it ended.
        let holders: GrantTable?
    }

    var plan: PublisherPlan
    /// The access table; `nil`: access control is off.
    var access: AccessTable?
    /// The entry of the current message's sender; `nil` where access control is off.
    var sender: AccessEntry?
    /// How much of its rate limit each key has used up.
    var budgets = Budgets()
    /// Whether deeds are reported for the audit log: ``PublisherAction/audit(_:)``.
    package var isAudited = false
    /// The address of the next message's sender; empty where it is unknown.
    package var senderAddress = ""
    /// How many denials of each key have a line.
    var denials = DenialBudget()
    package var log: Log
    /// The id of the log if it has to begin anew.
    let freshID: LogID
    /// Whether the log is in memory and had no history when this publisher began.
    let isHistoryBorrowed: Bool
    /// Whether this publisher has written to the log.
    var hasAppended = false
    var grants: GrantTable
    var receipts = ReceiptTracker()
    var operations = OperationMemory()
    var queue: [Queued] = []
    var queuedBytes = 0
    /// Each key's share of the capacity for requests that are queued, being appended or waited for.
    var waitShares = WaitShares()
    var echoes = EchoBook()
    var pacings = PacingBook()
    var paceKeeping = PaceKeeping()
    var membership: MembershipDesk
    var lives = LifeBook()
    var lifeKeeping = LifeKeeping()
    var appending: Appending?
    var waiting: [ReceiptTracker.Token: Waiting] = [:]
    /// How long nodes took to apply records with an awaited receipt.
    var appliedTimes = DurationHistogram(.long)
    /// The issuers and the append times of the newest records.
    var recent = RecentRecords()
    var lastToken: UInt64 = 0
    /// The replays that were sent in this turn. A node asks again on each heartbeat, and a node
    /// that wakes up has sent many of them: the same question is answered once a turn.
    var replaysSent: Set<ReplaySent> = []
    /// The bytes of replays that this turn may still send, and the requests that wait for the next.
    var replayBytesLeft = PublisherLimits.replayTurnBytesMax
    var replays = ReplayQueue<Asker>()
    /// How many epochs may be opened because a node knows better.
    var epochsOnWord = EpochBudget()
    /// The FOLLOW requests that wait for a visible record.
    var follows = FollowBook()
    /// When the last turn ended.
    var turnEndedAt: Instant
    /// Whether ``stop(into:)`` was called.
    var isStopping = false
    /// The peers that received a part of the floors in this turn: one part each.
    var floorsSent: Set<PeerID> = []
    /// The floors of the log's records; `nil` until the log's place is known.
    package internal(set) var floors: FloorSnapshot?
    /// Whether the floors from before this publisher's start are still being read.
    package internal(set) var areFloorsComing: Bool
    /// Runs that introduced themselves before the log's place was known.
    var welcomes: [(run: NodeRun, asker: Asker)] = []
    /// The identity of the cluster, and where its nodes say that a lost log stands.
    var identity = ClusterIdentity()
    /// The endpoints that the nodes reported for their shards.
    var places: [NodeID: NodePlaces] = [:]
    var topologyVersion: UInt32
    var lastHeartbeat: Instant?
    var nextHeartbeat: Instant
    /// Of this process, counted by the shell; `nil`: not counted.
    package var descriptors: DescriptorUsage?
    package var statistics = PublisherStatistics()
    var writer = ByteWriter(capacityBytes: 64 << 10)

    /// A core that has not heard of any node yet.
    ///
    /// - Parameters:
    ///   - log: with a history, or without one if its records were lost.
    ///   - freshID: drawn at random; names the log if no node knows an older one.
    ///   - topologyVersion: where to count from, drawn at random: it differs from the versions of
    ///     earlier publishers, so that every client asks anew.
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
    /// - Parameter principal: the number of the key that the sender has shown.
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

    /// A message arrived that cannot be answered: it has several frames, which version 1 does not
    /// have, or its sender chose its own name. It is ignored and counted.
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
    /// Whether its sender waits for an answer.
    fileprivate var isAnswered: Bool { ![.ack, .bye, .error].contains(self) }
}
