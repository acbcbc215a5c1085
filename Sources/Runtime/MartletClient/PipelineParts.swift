import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ
import Threading

/// The parts of a ``PipelinedConnection``: a noncopyable value cannot throw while it is half made.
struct PipelineParts {
    typealias Options = PipelinedConnection.Options

    let context: Context
    let topology: Topology
    let node: NodeIndex?
    let shardNumbers: Range<Int>
    let lanes: [PipelineLane]
    let publisher: PipelineLane?
    let leaders: LeaderTracker
    let timer: PollTimer

    init(
        _ endpoints: [String], _ options: Options, _ given: Context?
    ) throws(CacheError) {
        do {
            let deadline = MonotonicClock.now.advanced(by: options.timeout)
            timer = try PollTimer()
            context = try given ?? Context(keys: options.keys?.pair)
            topology = try Self.topology(
                endpoints, context, of: options.node, deadline: deadline)
            node = try Self.node(options, topology)
            shardNumbers =
                node.map { [topology] in topology.nodes[$0.rawValue].shardNumbers }
                ?? topology.shards.indices
            try Self.check(options, shardNumbers.count)
            lanes = try Self.connect(
                topology, shardNumbers, context, options, deadline: deadline)
            publisher = try Self.publisher(topology, context, options)
            leaders = Self.leaders(endpoints, topology)
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    /// A thread watches all of its sockets at once, and a timer.
    static func check(_ options: Options, _ shardCount: Int) throws(CacheError) {
        let others = options.invalidations == nil ? 1 : 2
        let most = (ZeroMQLimits.pollItemCountMax - others) / max(1, shardCount)
        guard options.connections > most else { return }
        throw CacheError(
            .invalidArgument,
            "one thread can watch \(most) connections to each of \(shardCount) shards, not "
                + "\(options.connections); ask for fewer connections or more threads")
    }

    private static func node(
        _ options: Options, _ topology: Topology
    ) throws(CacheError) -> NodeIndex? {
        if let wanted = options.node {
            guard let index = topology.index(of: wanted) else {
                throw CacheError(.invalidArgument, "the cluster has no node \(wanted)")
            }
            return index
        }
        return topology.kind == .replicated && !topology.nodes.isEmpty ? NodeIndex(0) : nil
    }

    /// Asks the endpoints for the topology, in turn, until one answers. It asks a little longer
    /// while the topology does not say where the shards are.
    ///
    /// - Parameter node: the node to connect to, so only its shards matter; `nil` for all nodes.
    private static func topology(
        _ endpoints: [String], _ context: Context, of node: NodeID?, deadline: Instant
    ) throws -> Topology {
        var hunt = TopologyHunt(seeds: endpoints)
        var places = PlaceWait()
        var last: Topology?
        hunt.wanted(at: MonotonicClock.now)
        var frame = Frame()
        while MonotonicClock.now < deadline {
            let now = MonotonicClock.now
            switch hunt.tick(at: now) {
            case .ask(let text):
                let topology: Topology
                switch try ask(text, context, hunt.due ?? deadline, &frame) {
                case .topology(let told): topology = told
                case .denied(let other):
                    hunt.denied(by: text, naming: other, at: MonotonicClock.now)
                    continue
                case .unusable, nil:
                    hunt.failed(at: MonotonicClock.now)
                    continue
                }
                let asked = MonotonicClock.now
                places.took(topology, at: asked)
                let wanted = wanted(node, of: topology)
                guard wanted.contains(where: { places.end(for: $0, at: asked) != nil }) else {
                    return topology
                }
                last = topology
                hunt.answered(
                    by: text, publisher: topology.controlEndpoint,
                    shards: topology.shards.map(\.endpoint), at: asked)
                hunt.wanted(at: asked)
            // All endpoints were named, and before the first topology no cluster is known.
            case .takeOffer: continue
            case .wait(let until):
                var pause = Poller()
                _ = pause.add(try Wakeup())
                let end = min(until ?? deadline, deadline)
                _ = try pause.wait(timeout: end.elapsed(since: now))
            }
        }
        if let last { return last }
        throw CacheError.unreachable("every endpoint (\(endpoints.joined(separator: ", ")))")
    }

    /// The nodes that a connection needs: one of the replicas, or all that share the keys.
    private static func wanted(_ node: NodeID?, of topology: Topology) -> [NodeID] {
        let all = topology.nodes.map(\.id)
        if let node { return all.filter { $0 == node } }
        return topology.kind == .replicated ? Array(all.prefix(1)) : all
    }

    /// - Returns: `nil` without an answer in time.
    private static func ask(
        _ text: String, _ context: Context, _ until: Instant, _ frame: inout Frame
    ) throws -> TopologyQuery.Answer? {
        let query = try TopologyQuery(text, context)
        repeat {
            if let answer = try query.answer(into: &frame) { return answer }
            try query.wait(until: until)
        } while MonotonicClock.now < until
        return try query.answer(into: &frame)
    }

    /// Connects to the shards, and waits for those that requests go to.
    private static func connect(
        _ topology: Topology, _ numbers: Range<Int>, _ context: Context, _ options: Options,
        deadline: Instant
    ) throws -> [PipelineLane] {
        var lanes: [PipelineLane] = []
        var awaited: [(lane: PipelineLane, address: ShardAddress)] = []
        for number in numbers.map(ShardNumber.init) {
            let address = topology[number]
            let isAwaited = topology.isAsked(number)
            guard !isAwaited || !address.endpoint.isEmpty else { throw unreachable(address) }
            let endpoint = endpoint(address.endpoint)
            for _ in 0..<options.connections {
                let lane = try PipelineLane(context, endpoint, window: options.window)
                lanes.append(lane)
                if isAwaited { awaited.append((lane, address)) }
            }
        }
        for (lane, address) in awaited {
            guard try waitForRoom(lane.socket, until: deadline) else { throw unreachable(address) }
        }
        guard !lanes.isEmpty else {
            throw CacheError(.disconnected, "the cluster has no shard")
        }
        return lanes
    }

    private static func unreachable(_ address: ShardAddress) -> CacheError {
        CacheError.unreachable("shard \(address.shard) of node \(address.node)")
    }

    /// Connects to the publisher, for invalidations, and waits a moment for it.
    private static func publisher(
        _ topology: Topology, _ context: Context, _ options: Options
    ) throws -> PipelineLane? {
        guard let wanted = options.invalidations else { return nil }
        guard !topology.controlEndpoint.isEmpty else {
            throw CacheError(
                .disconnected,
                "the publisher's endpoint is not known yet; start it, or invalidate nothing")
        }
        let endpoint = try Endpoint(topology.controlEndpoint, for: .connecting)
        let lane = try PipelineLane(context, endpoint, window: wanted.window)
        let end = MonotonicClock.now.advanced(by: min(options.timeout, .milliseconds(500)))
        _ = try waitForRoom(lane.socket, until: end)
        return lane
    }

    /// The publisher of the topology, and those that may lead after it.
    private static func leaders(_ endpoints: [String], _ topology: Topology) -> LeaderTracker {
        var leaders = LeaderTracker(seeds: endpoints.map(RequestRouter.canonical))
        let publisher = RequestRouter.canonical(topology.controlEndpoint)
        leaders.told(areSeveral: topology.hasSeveralPublishers)
        _ = leaders.took(
            publisher, from: publisher, shards: topology.shards.map(\.endpoint),
            at: MonotonicClock.now)
        return leaders
    }

    private static func waitForRoom(
        _ socket: borrowing Socket, until: Instant
    ) throws(ZeroMQError) -> Bool {
        var poller = Poller()
        _ = poller.add(socket, for: .writable)
        repeat {
            _ = try poller.wait(timeout: until.elapsed(since: MonotonicClock.now))
            if try socket.isWritable { return true }
        } while MonotonicClock.now < until
        return false
    }

    /// - Returns: `nil` if nothing can connect there; while the publisher has not heard from the
    ///   node, it is empty.
    static func endpoint(_ text: String) -> Endpoint? {
        do throws(EndpointError) {
            return try Endpoint(text, for: .connecting)
        } catch {
            return nil
        }
    }
}
