import CacheMemory
import CacheModel
import CacheNodeCore

/// Nodes that start, that are told to leave, and that end in order.
struct NodeProcesses: WorldPart {
    let nodes: SimulatedNodes
    let configuration: ClusterConfiguration
    let control: ControlThreads
    let tiers: TierThreads

    var timeline: Timeline { nodes.timeline }
    private var network: SimulatedNetwork { nodes.network }

    /// Starts another run of a node, unless one is up.
    func start(_ node: Int) throws(Violation) {
        guard configuration.members.contains(node) else { return }
        if let old = nodes.runs.last(where: { $0.node == node }), !old.isDead, !old.isSuperseded {
            return
        }
        let run = makeRun(of: node)
        nodes.add(run)
        count(.nodeStarts)
        note(.node(run.number), "starts as node", node)
        let publisher = nodes.publisher(of: run)
        run.connection.peer = publisher.connect(.run(run.number))
        if publisher.isUp {
            nodes.subscribe(run)
        } else {
            nodes.loseConnections(run)
        }
        guard settings.tiers == nil else { return tiers.begin(of: run) }
        try control.start(run)
    }

    /// The process ends in order: its shards first, then it sends BYE.
    func stop(_ run: SimulatedRun) throws(Violation) {
        guard run.runs else { return }
        note(.node(run.number), "says goodbye")
        tiers.end(of: run)
        guard run.roll == nil else { return nodes.kill(run) }
        run.control.stop(now: run.clock.reading(at: now), into: &run.actions)
        try control.perform(run)
        let peer = run.connection.peer
        nodes.kill(run)
        // Its socket lingers for a moment, until the BYE has left.
        let publisher = nodes.publisher(of: run)
        if publisher.isUp { publisher.owners[peer] = .run(run.number) }
    }

    // MARK: Leaving

    func planLeaving() {
        guard settings.nodesLeave else { return }
        let pause = timeline.separate.leaves.number(in: 200_000...1_500_000)
        timeline.add(.nodeLeaves, at: now + .microseconds(pause))
    }

    /// One is drained, as by an administrator.
    func nodeLeaves() {
        guard !isCalm else { return }
        let alive = nodes.alive.filter { $0.roll == nil }
        if !alive.isEmpty {
            let run = timeline.separate.leaves.pick(alive)
            note(.node(run.number), "is told to leave")
            count(.drains)
            run.letters.append(.drain)
            nodes.wake(run, at: soon())
        }
        planLeaving()
    }

    private func makeRun(of node: Int) -> SimulatedRun {
        let incarnation = Incarnation(dice.next() | 1)
        let identity = NodeControlIdentity(
            node: SimulatedNodes.id(of: node), incarnation: incarnation,
            endpoints: (0..<settings.shardCount).map { "tcp://n\(node):\($0 + 1)" },
            joinWeight: settings.listedCount == nil ? .none : JoinWeight(thousandths: 1_000))
        let first = SimulatedRun.Links(
            live: network.makeLink(highWaterMark: settings.liveHighWaterMark),
            subscribe: network.makeLink(),
            toPublisher: network.makeLink(), fromPublisher: network.makeLink(),
            requests: network.makeLink(),
            answers: network.makeLink())
        let links =
            [first]
            + nodes.publishers.all.dropFirst().map { _ in
                SimulatedRun.Links(
                    live: network.makeLink(highWaterMark: settings.liveHighWaterMark),
                    subscribe: network.makeLink(), toPublisher: network.makeLink(),
                    fromPublisher: network.makeLink(), requests: first.requests,
                    answers: first.answers)
            }
        let run = SimulatedRun(
            number: nodes.runs.count, node: node, clock: nodes.clocks[node], links: links,
            (identity, nodes.publishers.addresses, dice.next(), settings.guards))
        if settings.origin != nil {
            run.originThread = SimulatedOriginThread(seed: dice.next())
        }
        for index in 0..<settings.shardCount {
            var options = ShardOptions(
                node: identity.node, shardIndex: ShardIndex(index), incarnation: incarnation,
                memoryBytes: 1 << 16, seed: dice.next())
            options.guards = settings.guards
            options.tierLimits = settings.tierLimits
            options.hasDisk = settings.tiers != nil
            if let tiers = settings.tiers {
                options.diskCheckpointInterval = tiers.checkpointInterval
            }
            run.shards.append(
                SimulatedShard(
                    place: ShardPlace(run: run.number, shard: index), options: options,
                    now: run.clock.reading(at: now)))
        }
        return run
    }
}
