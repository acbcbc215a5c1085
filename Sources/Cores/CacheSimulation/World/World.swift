import CacheInvalidation
import CacheModel

/// A whole cluster in one thread: the shipped sans-I/O cores, between simulated sockets, clocks,
/// processes and a simulated database.
///
///      writers ──commit──▶ SimulatedOrigin ◀──read── loads     Timeline (the seed)
///         │ INVALIDATE        │                  ▲                │
///         ▼                   ▼ slow             │ miss, token    ▼ when, how long, what fails
///     ┌───────────┐  live   ┌──────────────────────────────┐   ┌──────────────────────┐
///     │ Publisher │────────▶│ NodeControlCore ⇄ ShardCore… │ × │ SimulatedNetwork:    │
///     │  Process  │◀───────▶│ one SimulatedRun for each    │   │ delay, loss, order   │
///     └───────────┘ control └──────────────────────────────┘   └──────────────────────┘
///           │                        │ every answer, every message, every receipt
///           ▼                        ▼
///     Chronicle: every record ──▶ Judges: is a promise of docs/consistency.md broken?
///
/// ### Parts
/// Each part has its own state, and calls only parts below it (docs/decisions/0114). The world has
/// the order: it gives each event to its part, and joins parts that follow from each other.
///
/// ### One event
/// The timeline gives the earliest event. A thread's loop runs one turn, in the order of the
/// servers' loops: mailbox, live frames, control frames, tick, end of turn. Events at one moment
/// have a fixed order, so a seed always has the same course.
///
/// ### Phases
/// Trouble, with faults; calm, in which all nodes must recover in bounded time; and an examination:
/// one invalidation that all nodes must apply, and one load for every shard.
///
/// ### Limits
/// It reads no real clock and opens no socket. It queries a core only as a server's loop does, and
/// judges only messages that cross the core's boundary.
final class World: WorldPart {
    let timeline: Timeline
    private let network: SimulatedNetwork
    private let nodes: SimulatedNodes
    private let origin: SimulatedOrigin
    private let requests = RequestTable()
    private let configuration: ClusterConfiguration
    private let readers: SimulatedReaders
    private let writers: SimulatedWriters
    private let copying: NodeCopying
    private let log: LogThread
    private let publisherProcess: PublisherProcess
    private let nodeProcesses: NodeProcesses
    private let control: ControlThreads
    private let shards: ShardThreads
    private let origins: OriginThreads
    private let tiers: TierThreads
    private let faults: FaultSchedule
    private let tierFaults: TierFaultSchedule
    private let examination: Examination
    /// Of several publishers; nothing calls them in a world of one.
    private let shared: SharedParts

    private struct SharedParts {
        let store: StoreService
        let process: SharedPublisherProcess
        let faults: SharedFaultSchedule
    }

    private var publishers: SimulatedPublishers { nodes.publishers }

    init(
        seed: UInt64, guards: Guards = .all, in kind: WorldKind = WorldKind(),
        telling tell: ((String) -> Void)? = nil
    ) {
        timeline = Timeline(
            seed: seed, guards: guards, in: kind, telling: tell)
        // From the lowest part to the highest: each gets the parts that it calls.
        network = SimulatedNetwork(timeline)
        let publishers = SimulatedPublishers(network)
        nodes = SimulatedNodes(network, publishers, TierFiles(timeline))
        let chronicle = Chronicle()
        origin = SimulatedOrigin(timeline, chronicle)
        configuration = ClusterConfiguration(nodes, origin)
        log = LogThread(publishers.all[0])
        let ledger = StoreLedger(timeline, chronicle)
        let store = StoreService(publishers, ledger)
        let judges = Judges(
            (log.disk, timeline.settings.shared == nil ? nil : ledger), chronicle, requests,
            origin, configuration)
        readers = SimulatedReaders(
            nodes: nodes, requests: requests, origin: origin, configuration: configuration)
        writers = SimulatedWriters(
            network: network, publishers: publishers, requests: requests, origin: origin)
        copying = NodeCopying(nodes: nodes, requests: requests, configuration: configuration)
        tiers = TierThreads(nodes: nodes)
        shards = ShardThreads(
            nodes: nodes, requests: requests, origin: origin, tiers: tiers, judges: judges,
            copying: copying)
        origins = OriginThreads(nodes: nodes, origin: origin, loads: judges.loads)
        control = ControlThreads(nodes: nodes, tiers: tiers, log: judges.log)
        nodeProcesses = NodeProcesses(
            nodes: nodes, configuration: configuration, control: control, tiers: tiers)
        let channels = PublisherChannels(
            nodes: nodes, configuration: configuration, judges: judges)
        publisherProcess = PublisherProcess(
            nodes: nodes, log: log, configuration: configuration, judges: judges,
            channels: channels)
        let process = SharedPublisherProcess(
            nodes: nodes, store: store, ledger: ledger, configuration: configuration,
            judges: judges, channels: channels)
        shared = SharedParts(
            store: store, process: process,
            faults: SharedFaultSchedule(nodes: nodes, process: process, store: store))
        tierFaults = TierFaultSchedule(nodes: nodes)
        faults = FaultSchedule(
            nodes: nodes, nodeProcesses: nodeProcesses, publisherProcess: publisherProcess,
            log: log, tiers: tierFaults, configuration: configuration)
        examination = Examination(readers, writers)
    }

    /// Runs the world to its end.
    ///
    /// - Throws: ``Violation`` at the first broken promise.
    func run() throws(Violation) {
        for publisher in publishers.all { try happen(.publisherStarts(publisher.index)) }
        if settings.shared != nil {
            shared.store.checkLeases()
            shared.faults.planFaults()
        }
        for node in 0..<settings.nodeCount { try happen(.nodeStarts(node)) }
        plan(.clientActs, within: 0...settings.readEveryMicroseconds)
        plan(.writerActs, within: 0...settings.writeEveryMicroseconds)
        plan(.faultStrikes, within: settings.faultEveryMicroseconds)
        timeline.add(.calm, at: now + settings.trouble)
        tierFaults.planTierTrouble()
        origin.planOriginTrouble()
        readers.planPrefetching()
        copying.planCopying()
        configuration.planMembers()
        nodeProcesses.planLeaving()
        writers.planForgetting()
        if settings.leaseChanges { count(.leaseSeeds) }
        while timeline.phase != .over, let event = timeline.next() { try happen(event) }
        nodes.countLoads()
    }

    private func happen(_ event: Event) throws(Violation) {
        switch event {
        case .arrives(let parcel): try arrive(parcel)
        case .publisherTurns(let index):
            if settings.shared == nil {
                try publisherProcess.turn()
            } else {
                try shared.process.turn(publishers.all[index])
            }
        case .controlTurns(let run): try control.controlTurn(nodes.runs[run])
        case .shardTurns(let place): try shards.shardTurn(nodes.shard(at: place))
        case .shardSends(let place): try shards.goOn(nodes.shard(at: place))
        case .clientActs: readers.clientActs()
        case .clientPrefetches: readers.clientPrefetches()
        case .nodeCopies: copying.nodeCopies()
        case .originIsRead(let fill): origin.originIsRead(fill)
        case .originAnswers(let fill): readers.originAnswers(fill)
        case .writerActs: writers.writerActs()
        case .writerAsksAgain(let intent): writers.askForInvalidation(intent)
        case .faultStrikes: try faults.faultStrikes()
        case .membersChange: configuration.membersChange()
        case .faultEnds(let fault): faults.end(fault)
        case .publisherDies(let run): faults.publisherDies(leavingOut: nodes.runs[run])
        case .nodeStarts(let node): try nodeProcesses.start(node)
        case .nodeLeaves: nodeProcesses.nodeLeaves()
        case .nodeIsForgotten: writers.nodeIsForgotten()
        case .runEnds(let run): try nodeProcesses.stop(nodes.runs[run])
        case .publisherStarts(let index):
            if settings.shared == nil {
                try publisherProcess.start()
            } else {
                shared.process.start(publishers.all[index])
            }
        case .diskWorks(let generation): log.diskWorks(generation)
        case .floorsAreRead(let generation): log.floorsAreRead(generation)
        case .reconnects(let run): nodes.reconnect(nodes.runs[run])
        case .tierOpens(let place, let number): tiers.tierOpens(nodes.shard(at: place), number)
        case .tierWrites(let place, let number): tiers.tierWrites(nodes.shard(at: place), number)
        case .tierReads(let place, let number, let ticket):
            tiers.tierReads(nodes.shard(at: place), number, ticket)
        case .originThreadTurns(let run): try origins.originThreadTurn(nodes.runs[run])
        case .attemptIsRead(let run, let number): origins.attemptIsRead(nodes.runs[run], number)
        case .attemptEnds(let run, let number): origins.attemptEnds(nodes.runs[run], number)
        case .originFails: origin.originFails()
        case .originHeals(let number): origin.originHeals(number)
        case .tierFaultStrikes: tierFaults.tierFaultStrikes()
        case .tierHeals(let node, let shard): tierFaults.tierHeals(nodes.files.places[node][shard])
        case .memoryIsShort: tierFaults.memoryIsShort()
        case .tierSpaceChanges: tierFaults.tierSpaceChanges()
        case .storeIsAsked(let number): try shared.store.arrives(number)
        case .storeHasAnswered(let number): shared.store.answered(number)
        case .storeIsGivenUp(let number): shared.store.isGivenUp(number)
        case .storeChecksLeases: shared.store.checkLeases()
        case .sharedFaultStrikes: shared.faults.strike()
        case .sharedFaultEnds(let fault): try shared.faults.end(fault)
        case .calm: try becomeCalm()
        case .inspection: try examination.inspect()
        case .examination(let place): try examination.examine(place)
        }
    }

    /// A message reaches the process that it was sent to.
    private func arrive(_ parcel: Parcel) throws(Violation) {
        guard network.accept(parcel) else { return }
        switch parcel.cargo {
        case .live(let frame):
            nodes.arrive(live: frame, at: nodes.runs[parcel.run], over: parcel.link)
        case .control(let frame):
            nodes.arrive(control: frame, at: nodes.runs[parcel.run], over: parcel.link)
        case .toPublisher(let peer, let frame):
            publishers[peer: peer].arrive(frame, from: peer)
        case .subscription(let run):
            guard let links = nodes.runs[run].liveLinks else { return }
            nodes.livePublisher(of: nodes.runs[run])?.arrive(
                subscriptionOf: run, over: network.connection(of: links.live))
        case .request(let place, let frame): nodes.arrive(request: frame, at: place)
        case .answer(let answer): receive(answer)
        case .receipt(let frame):
            if let last = try writers.received(frame) { try examination.goOn(after: last) }
        }
    }

    /// A client or a node gets an answer, and goes on.
    private func receive(_ answer: Answer) {
        guard let request = requests[answer.requestID] else { return }
        requests[answer.requestID] = nil
        switch request.purpose {
        case .proof(let item): examination.judge(request.place, item, answer)
        case .copying(let copying): self.copying.copied(copying, answer)
        default: readers.received(answer, to: request)
        }
    }

    private func becomeCalm() throws(Violation) {
        note(.world, "is calm")
        timeline.phase = .calm
        for run in nodes.runs { run.shards.forEach { $0.isAboutToHang = false } }
        origin.fault = nil
        tierFaults.healTiers()
        configuration.restoreMembers()
        try shared.faults.heal()
        examination.begin()
    }
}
