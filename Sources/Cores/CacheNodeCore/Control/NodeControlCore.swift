import ByteCoding
import CacheInvalidation
package import CacheModel
import CacheWire

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
///     ┌───────────────────────────────────────────────────────┐
///     │ NodeControlCore   LiveSubscription · PublisherLink    │
///     │ Subscriber · ReplayRequests · LeaseAuthority · …      │
///     └───────────────────────────────────────────────────────┘
///       apply, forget, setStanding │    ▲ shardApplied, publish
///                                  ▼    │
///                           every shard's mailbox
///
/// Each component has a state of its own; this type has the order of steps (docs/decisions/0115).
/// A node with entries on its disk begins at its old position; see ``LogResumption``.
///
/// Subscribe, receive a heartbeat, HELLO, WELCOME, replay up to the head, PING: then the node is
/// live. Lost messages are requested again; while the publisher is away the shards continue to
/// serve, as suspect once the lease is over. With several publishers it addresses one at a time,
/// until that one does not lead any more; see ``PublisherRotation``.
///
/// *Applied* has two meanings that must not be mixed. The subscriber's position is the last one
/// handed to the shards. HELLO, RESUME, PING and ACK claim the lowest position that a shard has
/// reported as applied, and only that position completes a lease; receipts depend on it. A replay
/// is requested once both are the same, so that a long one cannot run ahead of the shards.
///
/// It owns no socket, reads no clock, and its only randomness comes from the given seed. Frames are
/// decoded here; a damaged one is only counted.
package struct NodeControlCore: Sendable {
    package let identity: NodeControlIdentity
    let guards: Guards
    var link: PublisherLink
    var subscriber: Subscriber
    var replays = ReplayRequests()
    var floors = FloorsRequests()
    var authority: LeaseAuthority
    var shards: ShardPositions
    var acks = AckSchedule()
    var drainState = DrainState.serving
    var membership = ClusterMembership()
    var config = SharedFetch()
    var topology = SharedFetch()
    var newerForms = NewerFormReports()
    var publishes = PendingPublishes()
    var heads: HeadRequests
    private var requestCount: UInt64 = 0

    /// The standing last reported to the shards.
    package internal(set) var standing: NodeStanding = .unheard
    package internal(set) var statistics = NodeControlStatistics()

    /// - Parameters:
    ///   - resuming: the position of the shards and their entries. The node then counts as one that
    ///     was away: it requests missed records, and its shards forget only if these cannot be
    ///     determined. `nil` if the shards are empty.
    ///   - publishers: all that are known, tried in this order; empty for the only one of a
    ///     cluster, whose endpoints the caller has. Its live endpoint is followed if it is known,
    ///     otherwise that of WELCOME, as with several.
    ///   - seed: different for every run, so that nodes do not retry in step.
    package init(
        identity: NodeControlIdentity, publishers: [PublisherAddress] = [],
        resuming: LogResumption? = nil, seed: UInt64, guards: Guards = .all
    ) {
        self.identity = identity
        self.guards = guards
        link = PublisherLink(seed: seed, publishers: publishers)
        subscriber =
            resuming.map { Subscriber(resuming: $0.log, at: $0.mark, guards: guards) }
            ?? Subscriber(guards: guards)
        let applied = resuming?.mark ?? .none
        let shardCount = identity.endpoints.count
        authority = LeaseAuthority(applied: applied.position, guards: guards)
        shards = ShardPositions(shardCount: shardCount, at: applied, guards: guards)
        heads = HeadRequests(shardCount: shardCount)
    }

    /// The control connection exists; the subscription is open, or with several publishers begins
    /// with the first WELCOME.
    package mutating func start(now: Instant, into actions: inout [NodeControlAction]) {
        link.start(now: now)
        standing.log = subscriber.log
        standing.head = subscriber.knownHead
        standing.doubt = condition.doubt(in: standing.state, since: now, now: now)
        actions.append(.setStanding(standing))
        // The first may be one that does not lead, which is silent.
        if link.rotation.areSeveral { greet(now: now, into: &actions) }
    }

    /// The shards no longer serve anything. Sends BYE, so that no receipt waits for this run, and
    /// answers everything still under way. Every later call has no effect.
    package mutating func stop(now: Instant, into actions: inout [NodeControlAction]) {
        if isStopped { return }
        while let entry = publishes.removeFirst() {
            answer(entry, .failure(.leaving), into: &actions)
        }
        authority.lease.revoke()
        drainState = .left
        updateStanding(now: now, into: &actions)
        // A publisher that this run never greeted does not know it.
        if statistics.greetings > 0 {
            let bye = Bye(incarnation: identity.incarnation)
            send(.unanswered, into: &actions) { bye.encode(requestID: $0, into: &$1) }
        }
        link.stop()
    }

    /// The log that is followed; ``LogID/none`` before any is.
    package var log: LogID { subscriber.log }

    /// The position that every shard has applied.
    var applied: LogMark { shards.applied }

    /// The mark that HELLO, PING and ACK claim for this run.
    var claim: LogMark { guards.isOn(.shardsObeyed) ? applied : subscriber.applied }

    var isStopped: Bool { link.state == .stopped }

    /// The next request id of a kind.
    mutating func nextRequestID(_ kind: ControlRequestID.Kind) -> UInt64 {
        requestCount += 1
        return ControlRequestID.make(kind, number: requestCount)
    }

    /// Sends one message with the next request id of a kind.
    ///
    /// - Returns: the request id.
    @discardableResult
    mutating func send(
        _ kind: ControlRequestID.Kind, into actions: inout [NodeControlAction],
        _ encode: (UInt64, inout ByteWriter) -> Void
    ) -> UInt64 {
        let requestID = nextRequestID(kind)
        send(into: &actions) { encode(requestID, &$0) }
        return requestID
    }

    /// Encodes one frame and appends the action that sends it.
    func send(into actions: inout [NodeControlAction], _ encode: (inout ByteWriter) -> Void) {
        var writer = ByteWriter(capacityBytes: 256)
        encode(&writer)
        actions.append(.sendControl(bytes: writer.array))
    }
}
