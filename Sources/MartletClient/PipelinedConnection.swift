package import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire
import ZeroMQ
import Threading

/// The fast face for bulk work and load generators: many operations on their way at once, from
/// one thread, without tasks, locks or an allocation for each operation.
///
///     submit, submit, submit ─▶ [ window of messages ] ══▶ shards
///     takeCompletions ◀──────── [ by place and generation ] ◀══
///
/// ### Threads
/// It belongs to the thread that made it: that thread owns the sockets. Several threads take
/// several connections.
///
/// ### What it does not do
/// It never asks again, keeps no session and follows no change of the topology: an operation that
/// is not answered is given up by ``giveUp(sentBefore:_:)``. ``CacheClient`` does all of that.
package struct PipelinedConnection: ~Copyable {
    /// How much is on its way at once, and how it is packed.
    package struct Options: Sendable {
        /// Most messages on their way, 1 to 65 536.
        package var window = 512
        /// Operations in one message, 1 to 1 024.
        package var batch = 1
        package var namespace = Namespace.default
        /// Asks only this node; `nil` asks each key's owner, and in a replicated topology the
        /// first node.
        package var node: NodeID?
        /// How long the topology and the connections may take.
        package var timeout: Duration = .seconds(5)

        package init() {}
    }

    /// One message on its way, or a free place for one.
    struct Place {
        var generation: UInt32 = 0
        var isOpen = false
        var count = 0
        var sentAt = Instant(nanoseconds: 0)
    }

    let options: Options
    let topology: Topology
    let node: NodeIndex?
    /// The shards that are asked: all of them, or those of one node. Each has a lane.
    let slots: Range<Int>
    let lanes: [PipelineLane]
    var hasher: RouteHasher
    var places: [Place]
    var free: [Int]
    /// The callers' tags: as many for each place as a message has operations.
    var tags: [UInt32]
    /// Messages that could not be sent, until the caller hears of it.
    var lost: [Int] = []
    var frame = Frame()
    private var poller: Poller
    /// Kept alive as long as the sockets.
    private let context: Context

    /// Finds the topology and connects to every shard.
    ///
    /// - Throws: ``CacheError`` if nobody tells the topology, a shard's place is not known, or one
    ///   of them does not let itself be connected to in time.
    package init(endpoints: [String], options: Options = Options()) throws(CacheError) {
        precondition((1...65_536).contains(options.window), "a window holds 1 to 65536 messages")
        precondition((1...1_024).contains(options.batch), "a message carries 1 to 1024 operations")
        let opened = try Opened(endpoints, options)
        context = opened.context
        topology = opened.topology
        node = opened.node
        slots = opened.slots
        lanes = opened.lanes
        self.options = options
        hasher = RouteHasher(options.namespace)
        places = Array(repeating: Place(), count: options.window)
        free = Array((0..<options.window).reversed())
        tags = Array(repeating: 0, count: options.window * options.batch)
        poller = Poller()
        for lane in lanes { _ = poller.add(lane.socket, for: .readable) }
    }

    /// Messages on their way or being filled.
    package var inFlightCount: Int { options.window - free.count }

    /// Asks for a key; the answer comes with `tag`.
    ///
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitGet(key: UnsafeRawBufferPointer, tag: UInt32) -> Bool {
        guard let lane = lane(for: key) else { return false }
        guard claim(&lane.gets) else { return false }
        GetOperation.append(key: key, options: [], to: &lane.gets.writer)
        note(tag, &lane.gets)
        if lane.gets.count == options.batch { send(&lane.gets, over: lane) }
        return true
    }

    /// Stores a value without a token; the answer comes with `tag`.
    ///
    /// - Precondition: key and value fit a message; the caller knows the limits.
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitSet(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, tag: UInt32
    ) -> Bool {
        guard let lane = lane(for: key) else { return false }
        let isFull = lane.sets.writer.count + value.count + 8_192 > ClientLimits.bodyBytesMax
        if lane.sets.place != nil, isFull { send(&lane.sets, over: lane) }
        guard claim(&lane.sets) else { return false }
        SetOperation.append(
            key: key, value: value, SetOperation.Description(), to: &lane.sets.writer)
        note(tag, &lane.sets)
        if lane.sets.count == options.batch { send(&lane.sets, over: lane) }
        return true
    }

    /// Sends the messages that are not full yet.
    package mutating func flush() {
        for lane in lanes {
            send(&lane.gets, over: lane)
            send(&lane.sets, over: lane)
        }
    }

    private mutating func lane(for key: UnsafeRawBufferPointer) -> PipelineLane? {
        if lanes.count == 1 { return lanes[0] }
        let route = hasher.hash(key)
        let slot = node.map { topology.shard(of: route, on: $0) } ?? topology.owner(of: route)
        return slot.map { lanes[$0.rawValue - slots.lowerBound] }
    }

    /// Makes sure that there is a message to add to.
    private mutating func claim(_ draft: inout PipelineLane.Draft) -> Bool {
        if draft.place != nil { return true }
        guard let place = free.popLast() else { return false }
        places[place].generation &+= 1
        places[place].isOpen = true
        let id = UInt64(places[place].generation) << 32 | UInt64(place)
        draft.begin(at: place, requestID: id, in: options.namespace)
        return true
    }

    private mutating func note(_ tag: UInt32, _ draft: inout PipelineLane.Draft) {
        guard let place = draft.place else { return }
        tags[place * options.batch + draft.count] = tag
        draft.count += 1
    }

    private mutating func send(_ draft: inout PipelineLane.Draft, over lane: PipelineLane) {
        guard let place = draft.seal() else { return }
        places[place].count = draft.count
        places[place].sentAt = MonotonicClock.now
        do {
            if try lane.socket.send(draft.writer.bytes, more: false) != .sent { lost.append(place) }
        } catch {
            lost.append(place)
        }
    }

    /// Waits until an answer is there, or for `timeout`.
    mutating func wait(_ timeout: Duration) throws(ZeroMQError) {
        _ = try poller.wait(timeout: timeout)
    }
}
