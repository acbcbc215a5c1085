import CacheInvalidation
import CacheModel
import PublisherCore
import SharedLogCore

/// A publisher's process: the real core, its two sockets and its clock.
///
/// ``PublisherProcess`` runs its threads; ``LogThread`` has its log on disk.
final class SimulatedPublisher: WorldPart {
    /// The owner of a connection to the ROUTER socket.
    enum Owner {
        case run(Int)
        case writer
    }

    let timeline: Timeline
    /// Its place among the publishers of the world.
    let index: Int
    /// The number of its core.
    private(set) var generation = 0
    var core: PublishingCore<SimulatedLog>
    let clock: Clock
    /// The links of its writers.
    let writerLinks: (toPublisher: Int, fromPublisher: Int)
    private(set) var writerPeer: UInt32 = 0
    private var peerCount: UInt32 = 0
    var frames: [(peer: UInt32, bytes: [UInt8])] = []
    var subscriptionCount = 0
    /// The connections of the live channel, by run.
    var subscriptions: [Int: Int] = [:]
    var owners: [UInt32: Owner] = [:]
    var turnAt: WorldTime?
    private(set) var isUp = false
    var pauseCount = 0
    /// Since when it has been up without a pause.
    var upSince = WorldTime.beginning
    /// When this generation began, by its clock.
    private(set) var startedAt: Instant
    var memory = PublisherMemory()
    /// If it is one of several.
    var shared = SharedStanding()
    /// Answers while it does not lead.
    var standby = StandbyCore()

    init(_ network: SimulatedNetwork, index: Int) {
        (timeline, self.index) = (network.timeline, index)
        clock = Clock(&network.timeline.dice)
        writerLinks = (network.makeLink(), network.makeLink())
        startedAt = clock.reading(at: .beginning)
        // Nothing is asked of it before its first start.
        core = Self.core(
            ClusterConfiguration.plan(network.settings),
            SimulatedLog(inMemoryAs: LogID(1), recordsMax: 1), 0, now: startedAt)
    }

    private static func core(
        _ plan: PublisherPlan, _ log: SimulatedLog, _ generation: Int, now: Instant
    ) -> PublishingCore<SimulatedLog> {
        PublishingCore(
            plan: plan, log: log, freshID: log.id,
            topologyVersion: UInt32(1_000 * (generation + 1)), now: now)
    }

    func start(_ plan: PublisherPlan, _ log: SimulatedLog, generation: Int) {
        begin(plan, log, generation: generation)
        open()
    }

    /// A core begins.
    func begin(_ plan: PublisherPlan, _ log: SimulatedLog, generation: Int) {
        self.generation = generation
        startedAt = clock.reading(at: now)
        core = Self.core(plan, log, generation, now: startedAt)
        upSince = now
        memory = PublisherMemory(begunAt: now)
    }

    /// The sockets of a process open.
    func open() {
        frames = []
        subscriptionCount = 0
        subscriptions = [:]
        owners = [:]
        isUp = true
    }

    /// Its name, and where nodes and clients reach it.
    var endpoints: Leadership.Endpoints {
        Leadership.Endpoints(
            publisher: "p\(index)", control: "tcp://p\(index):1", live: "tcp://p\(index):2")
    }

    func end() {
        isUp = false
        turnAt = nil
    }

    var runs: Bool { isUp && pauseCount == 0 }

    func wake(at time: WorldTime) {
        if let planned = turnAt, planned <= time { return }
        turnAt = time
        timeline.add(.publisherTurns(index), at: time)
    }

    /// The process goes on after a pause.
    func wakeUp() {
        pauseCount -= 1
        upSince = now
        if runs { wake(at: soon()) }
    }

    // MARK: Sockets

    func arrive(_ frame: [UInt8], from peer: UInt32) {
        guard isUp, owners[peer] != nil else { return }
        frames.append((peer, frame))
        wake(at: soon())
    }

    /// A subscription of a run, over a connection of its live channel.
    func arrive(subscriptionOf run: Int, over connection: Int) {
        guard isUp else { return }
        subscriptions[run] = connection
        subscriptionCount += 1
        wake(at: soon())
    }

    /// A new connection to the ROUTER socket.
    func connect(_ owner: Owner) -> UInt32 {
        peerCount += 1
        let peer = UInt32(index) * SimulatedPublishers.peersMax + peerCount
        owners[peer] = owner
        return peer
    }

    func connectWriter() { writerPeer = connect(.writer) }
}

/// One generation of a publisher as the oracle sees it.
struct PublisherMemory {
    struct Question: Hashable {
        let peer: UInt32
        let requestID: UInt64
    }

    /// When it started.
    var begunAt = WorldTime.beginning
    /// The nodes that it knows to have joined.
    var joined: Set<NodeID> = []
    /// When it last sent a new record of slots.
    var slotsToldAt = WorldTime.beginning
    /// When it last granted each node a lease.
    var grantedAt: [Int: WorldTime] = [:]
    /// The greatest position that a node reported before it chose where to continue.
    var furthestTold = LogPosition.none
    var hasDecided = false
    /// The nodes of its configuration at its start.
    var membersAtStart: Set<Int> = []
    /// The nodes that have sent it a HELLO.
    var greeted: Set<NodeID> = []
    /// When each invalidation was requested last.
    var questions: [Question: (step: Int, time: WorldTime)] = [:]
    /// The runs that sent a PING since the last proof that the publisher leads.
    var pinged: Set<Incarnation> = []
    /// Those between that proof and the one before it.
    var pingedBefore: Set<Incarnation> = []
    /// Those that the last proof, or the one before it, may have been of.
    var proven: Set<Incarnation> = []
    /// The position in the last HELLO of each peer.
    var greetings: [UInt32: LogPosition] = [:]
}
