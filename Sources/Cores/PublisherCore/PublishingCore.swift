import CacheAccess
package import CacheInvalidation
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
package struct PublishingCore<Log: InvalidationLog>: ~Copyable {
    var plan: PublisherPlan
    var admission = PublisherAdmission()
    var confirmations = Confirmations()
    package var log: Log
    var history: LogHistory
    var nodes: NodeRegistry
    var ownership: Ownership
    var topology: PublishedTopology
    var appender = LogAppender()
    var echoes = RepetitionSchedule()
    var pacings: PacedInvalidations
    var receipts = ReceiptQueue()
    var replays = ReplayServer()
    var floorServer: FloorServer
    /// The FOLLOW requests that wait for a visible record.
    var follows = FollowTable()
    var heartbeat: HeartbeatSchedule
    /// When the last turn ended.
    var turnEndedAt: Instant
    /// Whether ``stop(into:)`` was called.
    var isStopping = false
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
        history = LogHistory(of: log, freshID: freshID)
        nodes = NodeRegistry(plan, log: log, now: now)
        ownership = Ownership(
            plan, hasRecords: log.outlivesItsProcess && log.head.position.sequence != .none)
        topology = PublishedTopology(version: topologyVersion)
        heartbeat = HeartbeatSchedule(now: now)
        turnEndedAt = now
        floorServer = FloorServer(of: log)
        pacings = PacedInvalidations(isDurable: log.outlivesItsProcess)
        appender.recallOperations(of: log)
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
    package mutating func received(
        _ frame: UnsafeRawBufferPointer, from sender: RequestSender, now: Instant,
        into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        output.statistics.messages += 1
        receive(frame, from: sender, now: now)
    }

    /// It is proven that this publisher led after ``PublisherAction/confirm(_:)`` of this number:
    /// the messages that came before that are taken.
    package mutating func confirmed(
        _ number: UInt64, now: Instant, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        for held in confirmations.takeConfirmed(through: number) {
            held.frame.withUnsafeBytes { receive($0, from: held.sender, now: now) }
        }
    }

    private mutating func receive(
        _ frame: UnsafeRawBufferPointer, from sender: RequestSender, now: Instant
    ) {
        do throws(WireRefusal) {
            let view = try MessageView(decoding: frame)
            let message = try admit(view, frame.count, from: sender, now: now)
            if log.isShared, sender.heldSince == nil, plan.guards.isOn(.leaderConfirmed),
                let kind = try Confirmations.Kind(view),
                try confirmations.hold(frame, kind, from: sender, now: now)
            {
                return
            }
            let before = output.actions.count
            try take(message)
            admission.pay(for: output.actions[before...], now: now)
        } catch {
            if error.code == .unauthorised {
                output.statistics.denied += 1
                admission.auditDenial(of: frame, by: sender, error, now: now, to: &output)
            }
            guard admission.mayRefuse(sender.principal, now: now) else {
                output.statistics.refused += 1
                output.statistics.refusedSilently += 1
                return
            }
            let requester = Requester(
                peer: sender.peer, requestID: MessageHeader.requestID(ofDamaged: frame))
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

    /// - Throws: why the sender may not send this message now.
    private mutating func admit(
        _ view: MessageView, _ bytes: Int, from sender: RequestSender, now: Instant
    ) throws(WireRefusal) -> IncomingMessage {
        let entry = try admission.authorise(view, by: sender.principal, among: nodes.grants)
        do throws(WireRefusal) {
            // One that was held was charged when it arrived.
            if sender.heldSince == nil {
                try admission.charge(view, bytes: bytes, of: sender.principal, now: now)
            }
        } catch {
            output.statistics.overBudget += 1
            throw error
        }
        let requester = Requester(
            peer: sender.peer, requestID: view.requestID,
            principal: entry == nil ? .unknown : sender.principal,
            party: output.isAudited ? admission.party(of: view, entry, at: sender.address) : nil)
        return IncomingMessage(
            view: view, requester: requester, entry: entry, arrivedAt: sender.heldSince ?? now,
            now: now)
    }

    private mutating func take(_ message: IncomingMessage) throws(WireRefusal) {
        // HELLO states the cluster to which a node belonged.
        guard
            message.view.type == .hello || !message.fields.cluster.contradicts(history.identity.id)
        else {
            guard message.view.type.isAnswered else {
                output.statistics.refused += 1
                return
            }
            throw .wrongCluster
        }
        guard !isStopping else {
            if message.view.type == .invalidate {
                output.refuse(message.requester, .busy, LogAppender.stoppingSentence)
            }
            return
        }
        switch message.view.type {
        case .hello: try takeHello(message)
        case .resume: try takeResume(message)
        case .ping: try takePing(message)
        case .ack: try takeAck(message)
        case .bye: try takeBye(message)
        case .floors: try takeFloors(message)
        case .invalidate: try takeInvalidate(message)
        case .awaitReceipt: try takeAwait(message)
        case .forget: try takeForget(message)
        case .stepDown: try takeStepDown(message)
        case .follow: try follows.receive(message, log: log, output: &output)
        case .pace: try takePace(message)
        case .status: try answerStatus(message)
        case .topology: try answerTopology(message)
        case .config: try answerConfiguration(message)
        case .error:
            // An error is never answered with an error: two sides would continue for ever.
            output.statistics.refused += 1
        default:
            output.refuse(message.requester, .unsupported, message.view.type.whyUnsupported)
        }
    }
}

extension MessageType {
    /// Whether its sender waits for an answer.
    fileprivate var isAnswered: Bool { ![.ack, .bye, .error].contains(self) }

    /// Why the publisher does not serve it.
    fileprivate var whyUnsupported: String {
        switch self {
        case .get, .set, .delete, .touch, .chunk, .scan, .explain, .count:
            "the publisher holds no entries; ask the shards that its topology lists"
        case .drain:
            "a node leaves by its own doing; ask one of its shards, which the topology lists"
        default: "the publisher is not asked this; it is an answer or belongs to the live channel"
        }
    }
}

/// When the next heartbeat is due: after the longest silence, or soon after a broadcast or a
/// subscription.
struct HeartbeatSchedule {
    private var last: Instant?
    private(set) var next: Instant

    init(now: Instant) { next = now }

    func isDue(at now: Instant) -> Bool { next <= now }

    /// A heartbeat is due at the end of this turn.
    mutating func requestNow(_ now: Instant) { next = now }

    /// A heartbeat is due at the end of this turn, or a little later if one was just sent.
    mutating func requestSoon(now: Instant) {
        let earliest = last?.advanced(by: PublisherLimits.heartbeatSpacing) ?? now
        next = min(next, max(now, earliest))
    }

    /// The turn of a heartbeat ends.
    ///
    /// - Parameters:
    ///   - isSent: `false` if the position of the log must not be reported yet.
    ///   - interval: longest silence on the live channel.
    mutating func end(isSent: Bool, interval: Duration, now: Instant) {
        next = now.advanced(by: interval)
        if isSent { last = now }
    }
}
