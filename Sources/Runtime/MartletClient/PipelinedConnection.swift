package import CacheModel
package import ZeroMQ
import ByteCoding
import CacheClientCore
import CacheWire
import Threading

/// The pipelined interface for bulk work and load generators: many operations in flight, from one
/// thread, without tasks, locks or an allocation for each operation.
///
///     submit, submit, submit ─▶ [ window of messages ] ══▶ shards, publisher
///     takeCompletions ◀──────── [ by place and generation ] ◀══
///
/// ### Threads
/// It belongs to the thread that made it: that thread owns the sockets. Each thread needs its own
/// connection.
///
/// ### Limits
/// It never retries, and keeps no session. The caller gives up operations without an answer with
/// ``giveUp(sentBefore:_:)``. ``CacheClient`` does all of that.
///
/// It follows changes of the topology, unless it asks one node alone. It follows the publisher that
/// leads: what was sent to the former one is lost.
package struct PipelinedConnection: ~Copyable {
    package struct Options: Sendable {
        /// Most messages in flight to shards, 1 to 65 536.
        package var window = 512
        /// Operations in one message to a shard, 1 to 1 024.
        package var batch = 1
        /// Connections to every shard, at least 1; messages take turns on them. One thread can
        /// watch a limited number: with one shard, 254 connections.
        package var connections = 1
        package var namespace = Namespace.default
        /// Asks only this node; `nil` asks each key's owner, and in a replicated topology the
        /// first node.
        package var node: NodeID?
        /// How long the topology and the connections may take.
        package var timeout: Duration = .seconds(5)
        /// How long to poll for answers before sleeping, zero to ten milliseconds; zero sleeps at
        /// once.
        package var spin: Duration = .zero
        /// The client's key pair, for a cluster that authenticates clients.
        package var keys: ClientKeys?
        /// `nil` connects to no publisher: then keys cannot be invalidated.
        package var invalidations: Invalidations?

        package init() {}
    }

    package struct Invalidations: Sendable {
        /// Most messages in flight to the publisher, 1 to 65 536.
        package var window = 16
        /// Keys in one message, 1 to 1 000: one record of the log.
        package var batch = 1
        /// Whether the receipt waits until every node has applied the record, or only for the log.
        package var waitsForAll = true
        package var timeout: Duration = .seconds(2)

        package init() {}
    }

    let options: Options
    private(set) var topology: Topology
    let node: NodeIndex?
    /// The shards to ask: all of them, or those of one node.
    private(set) var shardNumbers: Range<Int>
    /// The connections to the shards: those to the first shard, then those to the second …, and
    /// last those to earlier shards, for their last answers.
    private(set) var lanes: [PipelineLane]
    /// Which of a shard's connections takes the message that is being filled.
    var turns: [Int]
    var follower: TopologyFollower
    private(set) var publisher: PipelineLane?
    /// When its last answer was taken.
    var publisherHeardAt = Instant(nanoseconds: 0)
    /// Which publisher the lane goes to, and which come next.
    var leaders: LeaderTracker
    /// The publisher is not replaced again before this.
    var nextPublisherAt = Instant(nanoseconds: 0)
    var hasher: RouteHasher
    var window: PipelineWindow
    var invalidations: PipelineWindow
    var frame = Frame()
    private let timer: PollTimer
    private var poller: Poller
    /// Kept alive as long as the sockets.
    let context: Context

    /// Finds the topology and connects to every shard.
    ///
    /// - Parameter context: the context with the I/O threads; `nil` makes one.
    /// - Throws: ``CacheError`` if no endpoint returns the topology; if the endpoint of a shard is
    ///   unknown, or, with ``Options/invalidations``, that of the publisher; if a shard accepts no
    ///   connection in time; ``CacheError/Code/invalidArgument`` if there are more connections than
    ///   one thread can watch. A publisher with a known endpoint that is down is no error: its
    ///   invalidations are lost.
    package init(
        endpoints: [String], options: Options = Options(), context: Context? = nil
    ) throws(CacheError) {
        options.check()
        let opened = try PipelineParts(endpoints, options, context)
        self.context = opened.context
        topology = opened.topology
        node = opened.node
        shardNumbers = opened.shardNumbers
        lanes = opened.lanes
        publisher = opened.publisher
        leaders = opened.leaders
        follower = TopologyFollower(endpoints, opened.topology)
        timer = opened.timer
        self.options = options
        turns = Array(repeating: 0, count: shardNumbers.count)
        hasher = RouteHasher(options.namespace)
        hasher.areSlotsNeeded = opened.topology.slotOwners != nil
        window = PipelineWindow(messages: options.window, batch: options.batch)
        invalidations = PipelineWindow(
            messages: options.invalidations?.window ?? 0,
            batch: options.invalidations?.batch ?? 0)
        poller = Self.poller(lanes, publisher, timer)
    }

    private static func poller(
        _ lanes: [PipelineLane], _ publisher: PipelineLane?, _ timer: PollTimer
    ) -> Poller {
        var poller = Poller()
        for lane in lanes { _ = poller.add(lane.socket, for: .readable) }
        if let publisher { _ = poller.add(publisher.socket, for: .readable) }
        _ = poller.add(descriptor: timer.descriptor, for: .readable)
        return poller
    }

    /// Connects to another publisher, and gives up what was sent to the former one.
    ///
    /// - Throws: if the endpoint cannot be connected to; then the former one stays.
    mutating func replacePublisher(by endpoint: Endpoint) throws(ZeroMQError) {
        guard let wanted = options.invalidations else { return }
        let lane = try PipelineLane(context, endpoint, window: wanted.window)
        flushInvalidations()
        invalidations.loseAll(sentBefore: Instant(nanoseconds: .max))
        // The poller refers to sockets by address: it must go before any of them.
        poller = Poller()
        publisher = lane
        poller = Self.poller(lanes, publisher, timer)
    }

    /// Goes on with the shards of another topology. Lanes that it does not have stay behind, the
    /// newest first, as many as a thread can watch.
    mutating func replaceShards(by next: TopologyFollower.Next) {
        let kept = Set(next.lanes.map(ObjectIdentifier.init))
        let former = lanes.filter {
            !$0.endpoint.isEmpty && !kept.contains(ObjectIdentifier($0))
        }
        let room = ZeroMQLimits.pollItemCountMax - 2 - next.lanes.count
        // The poller refers to sockets by address: it must go before any of them.
        poller = Poller()
        topology = next.topology
        lanes = next.lanes + former.prefix(max(0, room))
        shardNumbers = topology.shards.indices
        turns = Array(repeating: 0, count: shardNumbers.count)
        hasher.areSlotsNeeded = hasSlots
        poller = Self.poller(lanes, publisher, timer)
    }

    package var inFlightCount: Int { window.openCount + invalidations.openCount }

    /// Waits until an answer arrives, or for `timeout`, with a precision of some microseconds.
    mutating func wait(_ timeout: Duration) throws(ZeroMQError) {
        // The poller counts whole milliseconds, which is too coarse for scheduled requests.
        let timeout = follower.isAwaiting ? min(timeout, ClientLimits.followingTurn) : timeout
        timer.set(timeout < .milliseconds(50) ? timeout : nil)
        let spin = inFlightCount > 0 ? options.spin : .zero
        _ = try poller.wait(timeout: timeout + .milliseconds(1), spinning: spin)
    }
}

extension PipelinedConnection.Options {
    fileprivate func check() {
        precondition((1...65_536).contains(window), "a window holds 1 to 65536 messages")
        precondition((1...1_024).contains(batch), "a message carries 1 to 1024 operations")
        precondition(connections >= 1, "a shard gets a connection")
        precondition(
            (.zero...ClientLimits.spinMax).contains(spin), "a spin takes zero to ten milliseconds")
        guard let invalidations else { return }
        precondition(
            (1...65_536).contains(invalidations.window), "a window holds 1 to 65536 messages")
        precondition(
            (1...1_000).contains(invalidations.batch), "an invalidation has 1 to 1000 scopes")
    }
}
