import CacheInvalidation
package import CacheModel

/// The core of a node's control thread: follows the publisher's log, keeps the node's lease, and
/// forwards the shards' publishes.
///
/// The control thread owns the live SUB and the control DEALER. One turn: every waiting frame and
/// every message in the shards' mailbox, then ``tick(now:into:)``, then ``endTurn(now:into:)``,
/// then sleep until ``nextDeadline``; it performs the actions in order.
///
///                      live SUB            control DEALER
///                         │ RECORDS             ▲ │ WELCOME PONG REPLAY …
///                         ▼ HEARTBEAT           │ ▼
///     ┌──────────────────────────────────────────────────┐
///     │ NodeControlCore   Subscriber · NodeLease · books  │
///     └──────────────────────────────────────────────────┘
///       apply, forget, setStanding │    ▲ shardApplied, publish
///                                  ▼    │
///                           every shard's mailbox
///
/// A node with entries on its disk begins at its old position; see ``LogResumption``.
///
/// Subscribe, receive a heartbeat, HELLO, WELCOME, replay up to the head, PING: then the node is
/// live. Lost messages are requested again; while the publisher is away the shards continue to
/// serve, as suspect once the lease is over.
///
/// *Applied* has two meanings that must not be mixed. The subscriber's position is the last one
/// handed to the shards. HELLO, RESUME, PING and ACK claim the lowest position that a shard has
/// reported as applied, and only that position completes a lease; receipts depend on it. A replay
/// is requested once both are the same, so that a long one cannot run ahead of the shards.
///
/// It owns no socket, reads no clock, and its only randomness comes from the given seed. Frames are
/// decoded here; a damaged one is only counted.
package struct NodeControlCore: Sendable {
    /// State of the connection to the publisher.
    enum Phase: Sendable {
        /// Not started. Becomes `listening`.
        case idle
        /// Subscribed, and waiting for the first heartbeat, for a limited time: a publisher that
        /// was started without its log sends none before it is greeted. Becomes `greeting`.
        case listening(until: Instant)
        /// Sends HELLO until it is welcomed. Becomes `joined`.
        case greeting(Greeting)
        /// Known to the publisher. Becomes `greeting` when the publisher falls silent or no longer
        /// knows this run.
        case joined(Joined)
        /// Sent BYE. Final.
        case stopped
    }

    struct Greeting: Sendable {
        let requestID: UInt64
        var sentCount: Int
        var nextAt: Instant
    }

    struct Joined: Sendable {
        /// `nil` while a shard has not reported an applied position: there is nothing to claim.
        var pingAt: Instant?
        /// When the control channel last answered.
        var heardAt: Instant
    }

    /// State of the lease.
    enum Trust: Sendable {
        case unheard
        /// The publisher is reachable; no lease since.
        case awaiting
        case held
        /// There was a lease, and it is over.
        case lost
    }

    /// The last request for a replay.
    struct ReplayQuestion: Sendable {
        let requestID: UInt64
        let after: LogMark
        var askedAt: Instant
    }

    package let identity: NodeControlIdentity
    let guards: Guards
    var phase: Phase = .idle
    var isDraining = false
    /// `nil` until the node is ordered to leave.
    var leaving: Leaving?
    var trust: Trust = .unheard
    var subscriber: Subscriber
    var lease: NodeLease
    var pauseWatch = PauseWatch()
    var leaseLength = NodeControlLimits.leaseDefault
    var heartbeatInterval = NodeControlLimits.heartbeatDefault
    /// The position that each shard has reported as applied since the last forgetting, or had when
    /// it started.
    var shardMarks: [LogMark]
    /// The lowest of ``shardMarks``.
    var applied: LogMark
    var acknowledged: LogMark = .none
    var acknowledgedAt = Instant(nanoseconds: 0)
    /// Up to here a caller may be waiting for the acknowledgement.
    var awaitedThrough: LogPosition = .none
    /// When to read the positions of shards that were not asked to wake the control thread; `nil`
    /// if none of them is behind as far as known.
    var shardsHeardAt: Instant?
    /// Where the last forgetting continued, or the node when it started. Positions that a shard
    /// applied before it do not count.
    var forgottenBefore: LogPosition
    /// The log that last granted this run a lease; ``CacheModel/LogID/none``: none did.
    var leasedLog = LogID.none
    /// The node's cluster, and the last report about it.
    var membership = ClusterMembership()
    /// Whether the open gap, or the divergence, has been reported.
    var hasGap = false
    var hasDiverged = false
    var question: ReplayQuestion?
    /// Whether a request waits until every shard has applied the records handed to it.
    var isQuestionDue = false
    var replayedCount = 0
    /// When records of a newer form were last reported, and how many came since.
    var newerFormsToldAt: Instant?
    var newerFormsUntold = 0
    var liveHeardAt = Instant(nanoseconds: 0)
    /// When the publisher last answered, and when its last heartbeat came.
    var answeredAt: Instant?
    var heartbeatAt: Instant?
    /// Whether the last PONG that could have granted a lease did not.
    var isLeaseWithheld = false
    /// When the current state began.
    var stateSince = Instant(nanoseconds: 0)
    var resubscribeAt = Instant(nanoseconds: 0)
    var helloBackoff: Backoff
    var resubscribeBackoff: Backoff
    var config = SharedFetch()
    var topology = SharedFetch()
    var publishes = PendingPublishes()
    var heads: HeadRequests
    /// The request for floors after the log was out of reach; `nil` if there is none.
    var floorsQuest: FloorsQuest?
    /// While TRUNCATED is handled: the position from which floors may be requested.
    var truncatedAt: LogMark?
    var requestCount: UInt64 = 0

    /// The standing last reported to the shards.
    package internal(set) var standing: NodeStanding = .unheard
    package internal(set) var statistics = NodeControlStatistics()

    /// - Parameters:
    ///   - resuming: the position of the shards and their entries. The node then counts as one that
    ///     was away: it requests missed records, and its shards forget only if these cannot be
    ///     determined. `nil` if the shards are empty.
    ///   - seed: different for every run, so that nodes do not retry in step.
    package init(
        identity: NodeControlIdentity, resuming: LogResumption? = nil, seed: UInt64,
        guards: Guards = .all
    ) {
        self.identity = identity
        self.guards = guards
        subscriber =
            resuming.map { Subscriber(resuming: $0.log, at: $0.mark, guards: guards) }
            ?? Subscriber(guards: guards)
        lease = NodeLease(guards: guards)
        applied = resuming?.mark ?? .none
        shardMarks = Array(repeating: applied, count: identity.endpoints.count)
        forgottenBefore = applied.position
        lease.applied(applied.position)
        heads = HeadRequests(shardCount: identity.endpoints.count)
        helloBackoff = Backoff(
            first: NodeControlLimits.helloWaitMin, longest: NodeControlLimits.helloWaitMax,
            seed: seed)
        resubscribeBackoff = Backoff(
            first: heartbeatInterval * NodeControlLimits.heartbeatsMissedMax,
            longest: NodeControlLimits.resubscribeWaitMax, seed: ~seed)
    }

    /// The sockets exist and the subscription is open.
    package mutating func start(now: Instant, into actions: inout [NodeControlAction]) {
        guard case .idle = phase else {
            preconditionFailure("a control thread starts once")
        }
        phase = .listening(until: now.advanced(by: NodeControlLimits.listenPatience))
        hearLive(now: now)
        stateSince = now
        standing.log = subscriber.log
        standing.head = subscriber.knownHead
        standing.doubt = doubt(in: standing.state, since: now, now: now)
        actions.append(.setStanding(standing))
    }

    /// The shards no longer serve anything. Sends BYE, so that no receipt waits for this run, and
    /// answers everything still under way. Every later call has no effect.
    package mutating func stop(now: Instant, into actions: inout [NodeControlAction]) {
        if isStopped { return }
        while let entry = publishes.removeFirst() {
            answer(entry, .failure(.leaving), into: &actions)
        }
        lease.revoke()
        isDraining = true
        leaving = nil
        updateStanding(now: now, into: &actions)
        sayBye(into: &actions)
        phase = .stopped
    }

    /// The log that is followed; ``LogID/none`` before any is.
    package var log: LogID { subscriber.log }

    /// The mark that HELLO, PING and ACK claim for this run.
    var claim: LogMark { guards.isOn(.shardsObeyed) ? applied : subscriber.applied }

    var isStopped: Bool {
        if case .stopped = phase { true } else { false }
    }

    /// The next request id of a kind.
    mutating func nextRequestID(_ kind: ControlRequestID.Kind) -> UInt64 {
        requestCount += 1
        return ControlRequestID.make(kind, number: requestCount)
    }
}

/// The cluster that a node belongs to: that of the log which it follows. docs/decisions/0089.
///
/// The publisher reports its log and its cluster together. A node that learns of another log hides
/// its entries before it follows that log, and only then belongs to the other cluster: entries of
/// one cluster are never served in the name of another.
struct ClusterMembership: Sendable {
    /// None until it is reported.
    private(set) var cluster = ClusterID.none
    private var told: (cluster: ClusterID, log: LogID) = (.none, .none)

    /// The publisher reports its cluster and its current log. None has no effect.
    mutating func heard(_ cluster: ClusterID, of log: LogID) {
        if cluster != .none { told = (cluster, log) }
    }

    /// The node follows that log, as far as it knows: nothing contradicts it.
    mutating func follows(_ log: LogID) {
        if log != .none, told.log == log { cluster = told.cluster }
    }
}
