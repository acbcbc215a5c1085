import CacheMemory
import CacheModel
import CacheNodeCore
import PublisherCore

/// Processes that start and die.
extension World {
    func startPublisher() throws(Violation) {
        guard !publisher.isUp else { return }
        let clock = publisher.clock.reading(at: now)
        drawLease()
        keepUnknownMembers()
        publisher.start(
            Self.core(plan, openLog(), publisher.generation + 1, now: clock), now: clock)
        if !publisher.core.resumeLives(disk?.contents.lives) {
            throw Violation("a publisher cannot read its file of the runs of nodes")
        }
        noteBook(of: publisher.core.log.id)
        publisher.upSince = now
        publisher.membersAtStart = members
        tally.publisherStarts += 1
        note(.publisher, "starts", publisher.generation)
        try judgeRecovery()
        if publisher.core.areFloorsComing {
            let longest = dice.pick([2_000, 400_000, 3_000_000])
            plan(.floorsAreRead(generation: publisher.generation), within: 100...longest)
        }
        writerPeer = nextPeer(.writer)
        for run in runs where !run.isDead {
            plan(.reconnects(run: run.number), within: 100...100_000)
        }
        wakePublisher(at: soon())
    }

    func killPublisher() {
        guard publisher.isUp else { return }
        note(.publisher, "dies", publisher.generation)
        publisher.isUp = false
        publisher.turnAt = nil
        for run in runs where !run.isDead { loseConnections(run) }
    }

    /// Starts another run of a node, unless one is up.
    func startNode(_ node: Int) throws(Violation) {
        guard members.contains(node) else { return }
        if let old = runs.last(where: { $0.node == node }), !old.isDead, !old.isSuperseded {
            return
        }
        let run = makeRun(of: node)
        for twin in runs where twin.node == node && !twin.isDead {
            twin.hasTwin = true
            run.hasTwin = true
        }
        runs.append(run)
        newestRun[node] = run.number
        tally.nodeStarts += 1
        note(.node(run.number), "starts as node", node)
        run.peer = nextPeer(.run(run.number))
        if publisher.isUp { subscribe(run) } else { loseConnections(run) }
        guard settings.tiers == nil else { return beginTiers(of: run) }
        run.control.start(now: run.clock.reading(at: now), into: &run.actions)
        try perform(run)
        wake(run, at: soon())
    }

    private func makeRun(of node: Int) -> SimulatedRun {
        let incarnation = Incarnation(dice.next() | 1)
        let identity = NodeControlIdentity(
            node: Self.nodeID(node), incarnation: incarnation,
            endpoints: (0..<settings.shardCount).map { "tcp://n\(node):\($0 + 1)" })
        let links = SimulatedRun.Links(
            live: makeLink(highWaterMark: settings.liveHighWaterMark), subscribe: makeLink(),
            toPublisher: makeLink(), fromPublisher: makeLink(), requests: makeLink(),
            answers: makeLink())
        let run = SimulatedRun(
            number: runs.count, node: node, clock: nodeClocks[node], links: links,
            (identity, dice.next(), settings.guards))
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

    /// The process dies with all its memory.
    func kill(_ run: SimulatedRun) {
        guard !run.isDead else { return }
        note(.node(run.number), "dies")
        run.isDead = true
        closeTiers(of: run)
        publisher.subscriptions[run.number] = nil
        publisher.owners[run.peer] = nil
        guard !run.isSuperseded else { return }
        plan(.nodeStarts(run.node), within: 1_000...800_000)
    }

    /// The process ends in order: its shards first, then it sends BYE.
    func stop(_ run: SimulatedRun) throws(Violation) {
        guard run.runs else { return }
        note(.node(run.number), "says goodbye")
        endTiers(of: run)
        guard run.roll == nil else { return kill(run) }
        run.control.stop(now: run.clock.reading(at: now), into: &run.actions)
        try perform(run)
        let peer = run.peer
        kill(run)
        // Its socket lingers for a moment, until the BYE has left.
        if publisher.isUp { publisher.owners[peer] = .run(run.number) }
    }

    func wakeUp(_ run: SimulatedRun) {
        run.pauseCount -= 1
        guard run.runs else { return }
        note(.node(run.number), "wakes up")
        wake(run, at: soon())
        for shard in run.shards { wake(shard, at: soon()) }
        if run.originThread != nil { wakeOrigin(run, at: soon()) }
    }
}
