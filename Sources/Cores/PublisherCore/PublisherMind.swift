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
/// - ``received(_:from:now:into:)`` answers at once if possible. Invalidations are only queued.
/// - ``tick(now:into:)`` ends the turn: it expires grants, appends and broadcasts all queued
///   invalidations at once, sends the receipts that became due, and answers a bounded part of the
///   waiting replays.
/// - ``appended(_:now:into:)`` reports the outcome of an append that the log could not do at once.
///   Until then its records are sent to no node, and later invalidations go into the next append.
///
/// It never trusts a frame: a malformed frame is answered with ERROR and counted, and no bytes of a
/// peer can trap. It never blocks, and each of its tables has a bound beyond which it answers BUSY.
/// It never claims more than is proven: a mark counts only if its digest is the log's.
package struct PublisherMind<Log: InvalidationLog>: ~Copyable {
    /// A replay that was sent to a peer.
    struct ReplaySent: Hashable {
        let peer: PeerID
        let after: LogMark
    }

    /// An invalidation between its arrival and the append.
    struct Queued {
        /// `nil`: an echo, a slice or a record of members, for which no client waits.
        let requester: Requester?
        let request: InvalidateRequest
        let deadline: Instant
        let bytes: Int
        /// The pacing that it is a slice of.
        var pacing: PacingID?
        /// The members record that it is, if any.
        var told: MembershipDesk.Told?
    }

    /// An invalidation with a number, new or from an earlier attempt.
    struct Placed {
        let queued: Queued
        let position: LogPosition
    }

    /// A client that waits for a receipt.
    struct Waiting {
        let requester: Requester
        /// Whether it asked about a record that was already in the log.
        let isQuestion: Bool
        /// Whether the answer names the issuer of that record: only clients that see the whole log
        /// may know it.
        var isToldIssuer = false
    }

    /// The state of storing the pacings beside the log.
    struct PaceKeeping {
        /// A client that waits for its order to be stored.
        struct Waiting {
            let requester: Requester
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
    /// The entry of the current message's sender; `nil` if access control is off.
    var sender: AccessEntry?
    /// The used rate budget of each principal.
    var budgets = Budgets()
    /// The address of the next message's sender; empty if unknown.
    package var senderAddress = ""
    /// The number of logged denials of each principal.
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
    /// Times of nodes to apply records with an awaited receipt.
    var appliedTimes = DurationHistogram(.long)
    /// The issuers and the append times of the newest records.
    var recent = RecentRecords()
    var lastToken: UInt64 = 0
    /// The replays that were sent in this turn. A node asks again on each heartbeat, and a node
    /// that resumes after a pause has sent many requests: the same request is answered once per
    /// turn.
    var replaysSent: Set<ReplaySent> = []
    /// The bytes of replays that this turn may still send, and the requests that wait for the next.
    var replayBytesLeft = PublisherLimits.replayTurnBytesMax
    var replays = ReplayQueue<Requester>()
    /// Limits the epochs that may be opened because of a node's report.
    var epochsOnWord = EpochBudget()
    /// The FOLLOW requests that wait for a visible record.
    var follows = FollowBook()
    /// When the last turn ended.
    var turnEndedAt: Instant
    /// Whether ``stop(into:)`` was called.
    var isStopping = false
    /// The peers that received a part of the floors in this turn: one part each.
    var floorsSent: Set<PeerID> = []
    /// The floors of the log's records; `nil` until the log has its position.
    package internal(set) var floors: FloorSnapshot?
    /// Whether the floors from before this publisher's start are still being read.
    package internal(set) var areFloorsComing: Bool
    /// Runs that sent HELLO before the log had its position.
    var welcomes: [(run: NodeRun, requester: Requester)] = []
    /// The identity of the cluster, and the marks of a lost log that its nodes report.
    var identity = ClusterIdentity()
    /// The endpoints that the nodes reported for their shards.
    var places: [NodeID: NodePlaces] = [:]
    var topologyVersion: UInt32
    var lastHeartbeat: Instant?
    var nextHeartbeat: Instant
    /// Of this process, counted by the shell; `nil`: not counted.
    package var descriptors: DescriptorUsage?
    var output = PublisherOutput()

    /// A core that has not heard from any node.
    ///
    /// - Parameters:
    ///   - log: with a history, or without one if its records were lost.
    ///   - freshID: drawn at random; the id of the log if no node knows an older one.
    ///   - topologyVersion: the first version, drawn at random: it differs from the versions of
    ///     earlier publishers, so that every client asks again.
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

    package var statistics: PublisherStatistics {
        get { output.statistics }
        set { output.statistics = newValue }
    }

    /// Whether events are reported for the audit log: ``PublisherAction/audit(_:)``.
    package var isAudited: Bool {
        get { output.isAudited }
        set { output.isAudited = newValue }
    }

    /// One frame came in on the control channel.
    ///
    /// Never traps, whatever the bytes are. The frame is only accessed during the call.
    ///
    /// - Parameter principal: the principal of the sender's key.
    package mutating func received(
        _ frame: UnsafeRawBufferPointer, from peer: PeerID,
        of principal: PrincipalNumber = .unknown, now: Instant,
        into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        output.statistics.messages += 1
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            sender = try authorise(message, by: principal)
            try charge(message, frame.count, of: principal, now: now)
            let requester = Requester(
                peer: peer, requestID: message.requestID,
                principal: sender == nil ? .unknown : principal, party: party(of: message))
            let before = output.actions.count
            try take(message, from: requester, now: now)
            pay(for: output.actions[before...], now: now)
        } catch {
            if error.code == .unauthorised {
                output.statistics.denied += 1
                noteDenial(of: frame, by: principal, error, now: now)
            }
            guard isRefusalSaid(to: principal, now: now) else { return }
            let requester = Requester(
                peer: peer, requestID: MessageHeader.requestID(ofDamaged: frame))
            output.refuse(
                requester, error.code, error.sentence,
                retryAfter: error.retryAfterMilliseconds)
        }
    }

    /// A message arrived that cannot be answered: it has several frames, which version 1 does not
    /// have, or its sender chose its own routing id. It is ignored and counted.
    package mutating func passedOver() {
        output.statistics.messages += 1
        output.statistics.refused += 1
    }

    private mutating func take(
        _ message: MessageView, from requester: Requester, now: Instant
    ) throws(WireRefusal) {
        // HELLO states the cluster to which a node belonged.
        guard message.type == .hello || !message.fields.cluster.contradicts(identity.id) else {
            guard message.type.isAnswered else {
                output.statistics.refused += 1
                return
            }
            throw .wrongCluster
        }
        guard !isStopping else {
            if message.type == .invalidate { refuseAtTheEnd(requester) }
            return
        }
        switch message.type {
        case .hello: try takeHello(message, from: requester, now: now)
        case .resume: try takeResume(message, from: requester, now: now)
        case .ping: try takePing(message, from: requester, now: now)
        case .ack: try takeAck(message, now: now)
        case .bye: try takeBye(message, now: now)
        case .floors: try takeFloors(message, from: requester, now: now)
        case .invalidate: try takeInvalidate(message, from: requester, now: now)
        case .awaitReceipt: try takeAwait(message, from: requester, now: now)
        case .forget: try takeForget(message, from: requester, now: now)
        case .follow: try takeFollow(message, from: requester, now: now)
        case .pace: try takePace(message, from: requester, now: now)
        case .status: try answerStatus(message, to: requester, now: now)
        case .topology: try answerTopology(message, to: requester, now: now)
        case .config: try answerConfiguration(message, to: requester)
        case .error:
            // An error is never answered with an error: two sides would continue for ever.
            output.statistics.refused += 1
        default:
            output.refuse(requester, .unsupported, Self.whyUnsupported(message.type))
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
}

extension MessageType {
    /// Whether its sender waits for an answer.
    fileprivate var isAnswered: Bool { ![.ack, .bye, .error].contains(self) }
}
