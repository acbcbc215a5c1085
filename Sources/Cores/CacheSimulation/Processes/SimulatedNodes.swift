import CacheModel
import CacheNodeCore

/// All runs of all nodes: their mailboxes, and their sockets to the publisher.
///
/// The threads of a run act on it elsewhere (``ControlThreads``, ``ShardThreads``,
/// ``OriginThreads``, ``TierThreads``); here is what they, clients and faults share.
final class SimulatedNodes: WorldPart {
    let timeline: Timeline
    let network: SimulatedNetwork
    let publisher: SimulatedPublisher
    let files: TierFiles
    private(set) var runs: [SimulatedRun] = []
    /// The newest run of each node; -1 before the first.
    private(set) var newestRun: [Int]
    /// The clocks of the machines.
    var clocks: [Clock]

    init(_ network: SimulatedNetwork, _ publisher: SimulatedPublisher, _ files: TierFiles) {
        (timeline, self.network) = (network.timeline, network)
        (self.publisher, self.files) = (publisher, files)
        let count = network.settings.nodeCount
        newestRun = Array(repeating: -1, count: count)
        clocks = (0..<count).map { _ in Clock(&network.timeline.dice) }
    }

    static func id(of node: Int) -> NodeID {
        guard let id = NodeID("n\(node)") else { preconditionFailure("a short word is a name") }
        return id
    }

    func shard(at place: ShardPlace) -> SimulatedShard {
        runs[place.run].shards[place.shard]
    }

    /// The runs that are not dead; some may be paused.
    var alive: [SimulatedRun] { runs.filter { !$0.isDead } }

    func run(of incarnation: Incarnation) -> SimulatedRun? {
        runs.last { $0.incarnation == incarnation }
    }

    /// Adds a run, which is the newest of its node.
    func add(_ run: SimulatedRun) {
        for twin in runs where twin.node == run.node && !twin.isDead {
            twin.memory.hasTwin = true
            run.memory.hasTwin = true
        }
        runs.append(run)
        newestRun[run.node] = run.number
    }

    /// The process dies with all its memory.
    func kill(_ run: SimulatedRun) {
        guard !run.isDead else { return }
        note(.node(run.number), "dies")
        run.isDead = true
        let isLeft = runs.contains { $0.node == run.node && !$0.isDead }
        files.close(of: run, isDown: !isLeft)
        publisher.disconnect(run)
        guard !run.isSuperseded else { return }
        plan(.nodeStarts(run.node), within: 1_000...800_000)
    }

    // MARK: Threads and their mailboxes

    func wake(_ run: SimulatedRun, at time: WorldTime) {
        if let planned = run.turnAt, planned <= time { return }
        run.turnAt = time
        timeline.add(.controlTurns(run: run.number), at: time)
    }

    func wake(_ shard: SimulatedShard, at time: WorldTime) {
        if let planned = shard.turnAt, planned <= time { return }
        shard.turnAt = time
        timeline.add(.shardTurns(shard.place), at: time)
    }

    func wakeOrigin(_ run: SimulatedRun, at time: WorldTime) {
        guard let thread = run.originThread else { return }
        if let planned = thread.turnAt, planned <= time { return }
        thread.turnAt = time
        timeline.add(.originThreadTurns(run: run.number), at: time)
    }

    func post(_ letter: SimulatedShard.Letter, to shard: SimulatedShard) {
        shard.letters.append(letter)
        wake(shard, at: soon())
    }

    func post(_ letter: SimulatedShard.Letter, to run: SimulatedRun) {
        for shard in run.shards { post(letter, to: shard) }
    }

    func postToOrigin(_ letter: SimulatedOriginThread.Letter, _ run: SimulatedRun) {
        guard let thread = run.originThread else { return }
        thread.letters.append(letter)
        wakeOrigin(run, at: soon())
    }

    /// The process goes on after a pause.
    func wakeUp(_ run: SimulatedRun) {
        run.pauseCount -= 1
        guard run.runs else { return }
        note(.node(run.number), "wakes up")
        wake(run, at: soon())
        for shard in run.shards { wake(shard, at: soon()) }
        if run.originThread != nil { wakeOrigin(run, at: soon()) }
    }

    // MARK: Arrivals

    func arrive(live frame: [UInt8], at run: SimulatedRun, over link: Int) {
        guard !run.isDead else { return }
        guard run.connection.liveFrames.count < network.highWaterMark(of: link) else {
            count(.overflows)
            return
        }
        run.connection.liveFrames.append(frame)
        wake(run, at: soon())
    }

    func arrive(control frame: [UInt8], at run: SimulatedRun, over link: Int) {
        guard !run.isDead,
            run.connection.controlFrames.count < network.highWaterMark(of: link)
        else { return }
        run.connection.controlFrames.append(frame)
        wake(run, at: soon())
    }

    func arrive(request frame: [UInt8], at place: ShardPlace) {
        guard !runs[place.run].isDead else { return }
        let shard = shard(at: place)
        shard.requests.append(SimulatedShard.Request(peer: SimulatedReaders.peer, bytes: frame))
        wake(shard, at: soon())
    }

    // MARK: Sockets that connect, break and connect again

    func subscribe(_ run: SimulatedRun) {
        // One message for each of the two topics.
        for _ in 0..<2 {
            network.send(.subscription(run: run.number), over: run.links.subscribe, run: run.number)
        }
    }

    /// Makes a new subscription; messages of the old one are lost.
    func resubscribe(_ run: SimulatedRun) {
        network.reconnect(run.links.live)
        network.reconnect(run.links.subscribe)
        run.connection.liveFrames = []
        publisher.subscriptions[run.number] = nil
        subscribe(run)
    }

    /// Makes a new control connection; the publisher sees another peer.
    func connectControl(_ run: SimulatedRun) {
        network.reconnect(run.links.toPublisher)
        network.reconnect(run.links.fromPublisher)
        run.connection.controlFrames = []
        publisher.owners[run.connection.peer] = nil
        run.connection.peer = publisher.connect(.run(run.number))
    }

    /// The publisher is unreachable: the node's messages wait in its socket.
    func loseConnections(_ run: SimulatedRun) {
        guard !run.connection.isSought else { return }
        run.connection.isSought = true
        network.hold(run.links.toPublisher)
    }

    /// The sockets have reconnected to the publisher, without the node's knowledge.
    func reconnect(_ run: SimulatedRun) {
        guard !run.isDead, run.connection.isSought, publisher.isUp else { return }
        note(.node(run.number), "is connected again")
        run.connection.isSought = false
        let link = run.links.toPublisher
        let waiting = network.unhold(link)
        let kept = run.connection
        resubscribe(run)
        connectControl(run)
        // The sockets stay the same, and so do the messages in them.
        run.connection.controlFrames = kept.controlFrames
        run.connection.liveFrames = kept.liveFrames
        for parcel in waiting {
            guard case .toPublisher(_, let frame) = parcel.cargo else { continue }
            network.send(
                .toPublisher(peer: run.connection.peer, frame), over: link, run: run.number)
        }
    }

    // MARK: Counters

    /// Adds the load counters of all shards, at the end of the run.
    func countLoads() {
        for run in runs {
            for shard in run.shards {
                let statistics = shard.core.loads.statistics
                count(.loads, Int(statistics.begun))
                count(.joinedLoads, Int(statistics.joined))
                count(.refreshes, Int(statistics.refreshes))
                count(.overtakenLoads, Int(statistics.overtaken))
                count(.failedLoads, Int(statistics.failed))
            }
        }
    }
}
