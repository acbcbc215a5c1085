import CacheModel
import CacheNodeCore

/// All runs of all nodes: their mailboxes, and their sockets to the publisher.
///
/// The threads of a run act on it elsewhere (``ControlThreads``, ``ShardThreads``,
/// ``OriginThreads``, ``TierThreads``); here is what they, clients and faults share.
final class SimulatedNodes: WorldPart {
    let timeline: Timeline
    let network: SimulatedNetwork
    let publishers: SimulatedPublishers
    let files: TierFiles
    private(set) var runs: [SimulatedRun] = []
    /// The newest run of each node; -1 before the first.
    private(set) var newestRun: [Int]
    /// The clocks of the machines.
    var clocks: [Clock]

    init(_ network: SimulatedNetwork, _ publishers: SimulatedPublishers, _ files: TierFiles) {
        (timeline, self.network) = (network.timeline, network)
        (self.publishers, self.files) = (publishers, files)
        let count = network.settings.nodeCount
        newestRun = Array(repeating: -1, count: count)
        clocks = (0..<count).map { _ in Clock(&network.timeline.dice) }
    }

    static func id(of node: Int) -> NodeID {
        guard let id = NodeID("n\(node)") else { preconditionFailure("a short word is a name") }
        return id
    }

    /// The one that had the last turn; the only one if it is alone.
    var publisher: SimulatedPublisher { publishers.acting }

    /// The publisher that a run addresses.
    func publisher(of run: SimulatedRun) -> SimulatedPublisher {
        publishers.all[run.connection.publisher]
    }

    /// The publisher that a run subscribes to, if there is one.
    func livePublisher(of run: SimulatedRun) -> SimulatedPublisher? {
        run.connection.livePublisher.map { publishers.all[$0] }
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
        publisher(of: run).owners[run.connection.peer] = nil
        livePublisher(of: run)?.subscriptions[run.number] = nil
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
        guard let links = run.liveLinks else { return }
        // One message for each of the two topics.
        for _ in 0..<2 {
            network.send(.subscription(run: run.number), over: links.subscribe, run: run.number)
        }
    }

    /// The subscription leaves its publisher for another one.
    func subscribe(_ run: SimulatedRun, to endpoint: String) {
        guard let index = publishers.index(at: endpoint) else {
            preconditionFailure("no publisher has the endpoint \(endpoint)")
        }
        leaveSubscription(of: run)
        run.connection.livePublisher = index
        subscribe(run)
    }

    private func leaveSubscription(of run: SimulatedRun) {
        if let links = run.liveLinks {
            network.reconnect(links.live)
            network.reconnect(links.subscribe)
        }
        run.connection.liveFrames = []
        livePublisher(of: run)?.subscriptions[run.number] = nil
    }

    /// Makes a new subscription; messages of the old one are lost.
    func resubscribe(_ run: SimulatedRun) {
        leaveSubscription(of: run)
        subscribe(run)
    }

    /// Makes a new control connection; the publisher sees another peer.
    func connectControl(_ run: SimulatedRun) {
        network.reconnect(run.links.toPublisher)
        network.reconnect(run.links.fromPublisher)
        run.connection.controlFrames = []
        let publisher = publisher(of: run)
        publisher.owners[run.connection.peer] = nil
        run.connection.peer = publisher.connect(.run(run.number))
    }

    /// The control connection leaves its publisher for another one, or for the same.
    func connectControl(_ run: SimulatedRun, to endpoint: String) {
        guard let index = publishers.index(at: endpoint) else {
            preconditionFailure("no publisher has the endpoint \(endpoint)")
        }
        note(.node(run.number), "turns to publisher", index)
        if run.connection.isSought {
            run.connection.isSought = false
            _ = network.unhold(run.links.toPublisher)
        }
        publisher(of: run).owners[run.connection.peer] = nil
        network.reconnect(run.links.toPublisher)
        network.reconnect(run.links.fromPublisher)
        run.connection.publisher = index
        connectControl(run)
        if !publisher(of: run).isUp { loseConnections(run) }
    }

    /// The publisher is unreachable: the node's messages wait in its socket.
    func loseConnections(_ run: SimulatedRun) {
        guard !run.connection.isSought else { return }
        run.connection.isSought = true
        network.hold(run.links.toPublisher)
    }

    /// The sockets have reconnected to the publisher, without the node's knowledge.
    func reconnect(_ run: SimulatedRun) {
        guard !run.isDead else { return }
        if settings.shared != nil { renewSubscription(of: run) }
        guard run.connection.isSought, publisher(of: run).isUp else { return }
        note(.node(run.number), "is connected again")
        run.connection.isSought = false
        let link = run.links.toPublisher
        let waiting = network.unhold(link)
        let kept = run.connection
        if settings.shared == nil { resubscribe(run) }
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

    /// One of several publishers has started again: the sockets subscribe by themselves.
    private func renewSubscription(of run: SimulatedRun) {
        guard let publisher = livePublisher(of: run), publisher.isUp,
            publisher.subscriptions[run.number] == nil
        else { return }
        let frames = run.connection.liveFrames
        resubscribe(run)
        run.connection.liveFrames = frames
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
