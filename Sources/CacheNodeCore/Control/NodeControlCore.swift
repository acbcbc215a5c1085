import CacheInvalidation
package import CacheModel

/// The mind of a node's control thread: follows the publisher's log, keeps the node's lease, and
/// carries the shards' publishes.
///
/// The control thread owns the live SUB and the control DEALER. A turn of it is: every frame that
/// waits and everything the shards' mailbox brings, then ``tick(now:into:)``, then
/// ``endTurn(now:into:)``, then sleep until ``nextDeadline``; it performs the actions in order.
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
/// A node that has what it held before on its disk begins where it was; see ``LogResumption``.
///
/// Subscribe, hear a heartbeat, HELLO, WELCOME, replay up to the head, PING: then the node is
/// live. Whatever is lost on the way is asked for again; while the publisher is away the shards
/// go on serving, as suspect once the lease is over.
///
/// *Applied* has two meanings that must not be mixed. The subscriber's is what was handed to the
/// shards. What HELLO, RESUME, PING and ACK claim, and what completes a lease, is the least that
/// every shard has said to have obeyed; receipts rest on it. A replay is asked for once both are
/// the same, which also keeps a long one from running ahead of the shards.
///
/// It owns no socket, reads no clock and rolls no dice but the seed it is given. Frames are
/// decoded here, so garbage costs a count and no more.
package struct NodeControlCore: Sendable {
    /// Where the node is in its talk with the publisher.
    enum Phase: Sendable {
        /// Not started. Becomes `listening`.
        case idle
        /// Subscribed, and waiting for the first heartbeat, but not for ever: a publisher that was
        /// started without its log sends none before it has been greeted. Becomes `greeting`.
        case listening(until: Instant)
        /// Says HELLO until it is welcomed. Becomes `joined`.
        case greeting(Greeting)
        /// Known to the publisher. Becomes `greeting` when that falls silent or knows us no more.
        case joined(Joined)
        /// Said BYE. Nothing follows.
        case stopped
    }

    struct Greeting: Sendable {
        let requestID: UInt64
        var sentCount: Int
        var nextAt: Instant
    }

    struct Joined: Sendable {
        /// `nil` while a shard has yet to say what it has applied: there is nothing to claim.
        var pingAt: Instant?
        /// When the control channel last answered.
        var heardAt: Instant
    }

    /// How far the node is with its lease.
    enum Trust: Sendable {
        case unheard
        /// The publisher is there; no lease since.
        case awaiting
        case held
        /// There was a lease, and it is over.
        case lost
    }

    /// The question for a replay that was asked last.
    struct ReplayQuestion: Sendable {
        let requestID: UInt64
        let after: LogMark
        var askedAt: Instant
    }

    package let identity: NodeControlIdentity
    let guards: Guards
    var phase: Phase = .idle
    var isDraining = false
    /// `nil` until somebody orders the node to leave.
    var leaving: Leaving?
    var trust: Trust = .unheard
    var subscriber: Subscriber
    var lease: NodeLease
    var pauseWatch = PauseWatch()
    var leaseLength = NodeControlLimits.leaseDefault
    var heartbeatInterval = NodeControlLimits.heartbeatDefault
    /// What each shard has said to have applied since the last forgetting, or had when it started.
    var shardMarks: [LogMark]
    /// The least of ``shardMarks``.
    var applied: LogMark
    var acknowledged: LogMark = .none
    var acknowledgedAt = Instant(nanoseconds: 0)
    /// Up to here somebody may be waiting for the acknowledgement.
    var awaitedThrough: LogPosition = .none
    /// When it is time to see how far the shards are, which were not to wake anybody; `nil` if
    /// none of them is behind as far as is known.
    var shardsHeardAt: Instant?
    /// Where the last forgetting went on from, or the node when it started. What a shard applied
    /// before it does not count.
    var forgottenBefore: LogPosition
    /// Of which log this run was granted a lease last; ``CacheModel/LogID/none``: it never was.
    var leasedLog = LogID.none
    /// Which cluster the node belongs to, and what was told of that last.
    var membership = ClusterMembership()
    /// Whether the gap that is open, or the divergence, has been told of.
    var hasGap = false
    var hasDiverged = false
    var question: ReplayQuestion?
    /// Whether a question waits until every shard has obeyed what it was handed.
    var isQuestionDue = false
    var replayedCount = 0
    /// When records of a newer form were told of last, and how many came since.
    var newerFormsToldAt: Instant?
    var newerFormsUntold = 0
    var liveHeardAt = Instant(nanoseconds: 0)
    /// When the publisher last answered, and when its last heartbeat came.
    var answeredAt: Instant?
    var heartbeatAt: Instant?
    /// Whether the last PONG that could have granted a lease did not.
    var isLeaseWithheld = false
    /// When the node began to be in the state it is in.
    var stateSince = Instant(nanoseconds: 0)
    var resubscribeAt = Instant(nanoseconds: 0)
    var helloBackoff: Backoff
    var resubscribeBackoff: Backoff
    var config = SharedFetch()
    var topology = SharedFetch()
    var publishes = PublishBook()
    var heads: HeadBook
    /// What was touched while the log was out of reach; `nil` where nobody asks.
    var floorsQuest: FloorsQuest?
    /// While TRUNCATED is obeyed: the place from which floors may be asked for.
    var truncatedAt: LogMark?
    var requestCount: UInt64 = 0

    /// How the node stood when the shards were told last.
    package internal(set) var standing: NodeStanding = .unheard
    package internal(set) var statistics = NodeControlStatistics()

    /// - Parameters:
    ///   - resuming: where the shards stand already, with what they hold. The node then is one
    ///     that slept: it asks for what it missed, and its shards are told to forget only if
    ///     nobody can tell. `nil` if they hold nothing.
    ///   - seed: another for every run, so that nodes do not retry in step.
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
        heads = HeadBook(shardCount: identity.endpoints.count)
        helloBackoff = Backoff(
            first: NodeControlLimits.helloWaitMin, longest: NodeControlLimits.helloWaitMax,
            seed: seed)
        resubscribeBackoff = Backoff(
            first: heartbeatInterval * NodeControlLimits.heartbeatsMissedMax,
            longest: NodeControlLimits.resubscribeWaitMax, seed: ~seed)
    }

    /// The sockets exist and the subscription is made.
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

    /// The shards serve nothing any more. Says BYE, so that nobody waits for this run, and answers
    /// what is still under way. Every later call does nothing.
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

    /// What HELLO, PING and ACK say of this run.
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
