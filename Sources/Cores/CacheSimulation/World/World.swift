import CacheInvalidation
import CacheModel
import PublisherCore

/// A whole cluster in one thread: the shipped sans-I/O cores, between simulated sockets, clocks,
/// processes and a simulated database.
///
///      writers ──commit──▶ database ◀──read── loads          Dice (the seed)
///         │ INVALIDATE        │                  ▲                │
///         ▼                   ▼ slow             │ miss, token    ▼ when, how long, what fails
///     ┌───────────┐  live   ┌──────────────────────────────┐   ┌──────────────────────┐
///     │ Publisher │────────▶│ NodeControlCore ⇄ ShardCore… │ × │ Link: delay, loss,   │
///     │   Mind    │◀───────▶│ one SimulatedRun for each    │   │ order, high water    │
///     └───────────┘ control └──────────────────────────────┘   └──────────────────────┘
///           │                        │ every answer, every message, every receipt
///           ▼                        ▼
///     Chronicle: every record ──▶ judge…: is a promise of docs/consistency.md broken?
///
/// ### One event
/// The queue gives the earliest event, and the world's time jumps to it. A thread's loop runs one
/// turn, in the order of the servers' loops: mailbox, live frames, control frames, tick, end of
/// turn. Events at one moment have a fixed order, so a seed always has the same course.
///
/// ### Phases
/// Trouble, with faults; calm, in which all nodes must recover in bounded time; and an examination:
/// one invalidation that all nodes must apply, and one load for every shard.
///
/// ### Limits
/// It reads no real clock and opens no socket. It queries a core only as a server's loop does, and
/// judges only messages that cross the core's boundary.
final class World {
    let settings: Settings
    var dice: Dice
    var now = WorldTime.beginning
    /// Counts events, finer than time: of two steps the lesser happened before.
    var step = 0
    var queue = WorldEventQueue()
    var links: [Link] = []
    var runs: [SimulatedRun] = []
    /// The newest run of each node.
    var newestRun: [Int] = []
    var nodeClocks: [Clock] = []
    let publisher: SimulatedPublisher
    /// The disk of its log; `nil`: in memory.
    let disk: SimulatedDisk?
    /// Seconds by which the wall clock is wrong.
    var wallOffset: Int64 = 0
    var peerCount: UInt32 = 0
    var writerPeer: UInt32 = 0
    let writerLinks: (toPublisher: Int, fromPublisher: Int)
    var requests: [UInt64: Request] = [:]
    var requestCount: UInt64 = 0
    var fills: [Fill] = []
    var intents: [Intent] = []
    var database = Database()
    var positionsTold: [LogPosition] = []
    var chronicle = Chronicle()
    var trace: Trace
    var tally = SimulationTally()
    /// By node, the runs that publishers granted leases to, one after the other.
    var lives: [Int: [Life]] = [:]
    /// A separate generator, so that the course of a seed does not depend on the writer of each
    /// file.
    var livesDice: Dice
    /// Faults of disk tiers: none of them changes the course of a seed without tiers.
    var tierDice: Dice
    /// How the disk tiers' file systems run short of space; `nil`: never.
    let space: TierSpaceSettings?
    var spaceDice: Dice
    var prefetchDice: Dice
    var copyDice: Dice
    /// The disk tiers' files by node and shard; empty without tiers.
    var tierPlaces: [[SimulatedTierPlace]] = []
    /// How often each node's machine has booted.
    var bootCounts: [Int] = []
    var storageCount = 0
    /// By node and key, the last store of each run.
    var lastStores: [[Int: [Int: Int]]] = []
    /// The nodes in the configuration, and the lease there.
    var members: Set<Int>
    /// When a node left the configuration last.
    var memberLeftAt = WorldTime.beginning
    var leaseMilliseconds: Int
    var leaseDice: Dice
    var memberDice: Dice
    /// Acknowledged plain stores by key.
    var acknowledgedStores: [Int: [AcknowledgedStore]] = [:]
    /// The present fault of the origin, and its number: the end of an earlier fault ends nothing.
    var originFault: OriginFault?
    var originFaultCount = 0
    var isCalm = false
    var recoveryEnds = WorldTime.beginning
    /// Shards that have yet to pass the examination; `nil` before it.
    var examined: Set<ShardPlace>?
    var isOver = false

    init(seed: UInt64, guards: Guards = .all, telling tell: ((String) -> Void)? = nil) {
        var dice = Dice(seed: seed)
        tierDice = TierSettings.dice(of: seed)
        prefetchDice = Self.prefetchDice(of: seed)
        copyDice = Self.copyDice(of: seed)
        var originDice = OriginSettings.dice(of: seed)
        memberDice = Self.memberDice(of: seed)
        leaseDice = Self.leaseDice(of: seed)
        settings = Settings(
            &dice,
            .init(
                tiers: TierSettings(&tierDice), origin: OriginSettings(&originDice),
                membersChange: memberDice.chance(perMille: Self.membersPerMille),
                leaseChanges: leaseDice.chance(perMille: Self.leasesPerMille)),
            guards: guards)
        var spaceDice = TierSpaceSettings.dice(of: seed)
        let (tiers, shardCount) = (settings.tiers, settings.shardCount)
        space = tiers.flatMap {
            TierSpaceSettings(&spaceDice, $0.geometry, shardCount: shardCount)
        }
        self.spaceDice = spaceDice
        members = Set(0..<settings.nodeCount)
        leaseMilliseconds = settings.leaseMilliseconds
        trace = Trace(telling: tell)
        let clock = Clock(&dice)
        publisher = SimulatedPublisher(
            clock: clock,
            core: Self.core(
                Self.plan(settings, members, leaseMilliseconds: settings.leaseMilliseconds),
                SimulatedLog(inMemoryAs: LogID(1), recordsMax: 1), 0,
                now: clock.reading(at: .beginning)))
        disk = settings.makeDisk()
        for _ in 0..<2 {
            links.append(
                Link(delayMicroseconds: settings.linkDelayMicroseconds, highWaterMark: 1_000))
        }
        writerLinks = (0, 1)
        for _ in 0..<settings.nodeCount { nodeClocks.append(Clock(&dice)) }
        self.dice = dice
        livesDice = Dice(seed: ~seed)
        newestRun = Array(repeating: -1, count: settings.nodeCount)
        makeTierPlaces()
    }

    /// Runs the world to its end.
    ///
    /// - Throws: ``Violation`` at the first broken promise.
    func run() throws(Violation) {
        try happen(.publisherStarts)
        for node in 0..<settings.nodeCount { try happen(.nodeStarts(node)) }
        plan(.clientActs, within: 0...settings.readEveryMicroseconds)
        plan(.writerActs, within: 0...settings.writeEveryMicroseconds)
        plan(.faultStrikes, within: settings.faultEveryMicroseconds)
        queue.add(.calm, at: now + settings.trouble)
        planTierTrouble()
        planOriginTrouble()
        planPrefetching()
        planCopying()
        planMembers()
        if settings.leaseChanges { tally.leaseSeeds += 1 }
        while !isOver, let next = queue.takeFirst() {
            now = next.time
            tally.events += 1
            step += 1
            try happen(next.event)
        }
        countLoads()
    }

    private func happen(_ event: Event) throws(Violation) {
        switch event {
        case .arrives(let parcel): try arrive(parcel)
        case .publisherTurns: try publisherTurn()
        case .controlTurns(let run): try controlTurn(runs[run])
        case .shardTurns(let place): try shardTurn(shard(at: place))
        case .shardSends(let place): try goOn(shard(at: place))
        case .clientActs: clientActs()
        case .clientPrefetches: clientPrefetches()
        case .nodeCopies: nodeCopies()
        case .originIsRead(let fill): originIsRead(fill)
        case .originAnswers(let fill): originAnswers(fill)
        case .writerActs: writerActs()
        case .writerAsksAgain(let intent): askForInvalidation(intent)
        case .faultStrikes: try faultStrikes()
        case .membersChange: membersChange()
        case .faultEnds(let fault): end(fault)
        case .publisherDies(let run): try publisherDies(leavingOut: runs[run])
        case .nodeStarts(let node): try startNode(node)
        case .publisherStarts: try startPublisher()
        case .diskWorks(let generation): diskWorks(generation)
        case .floorsAreRead(let generation): floorsAreRead(generation)
        case .reconnects(let run): reconnect(runs[run])
        case .tierOpens(let place, let number): tierOpens(shard(at: place), number)
        case .tierWrites(let place, let number): tierWrites(shard(at: place), number)
        case .tierReads(let place, let number, let ticket):
            tierReads(shard(at: place), number, ticket)
        case .originThreadTurns(let run): try originThreadTurn(runs[run])
        case .attemptIsRead(let run, let number): attemptIsRead(runs[run], number)
        case .attemptEnds(let run, let number): attemptEnds(runs[run], number)
        case .originFails: originFails()
        case .originHeals(let number): originHeals(number)
        case .tierFaultStrikes: tierFaultStrikes()
        case .tierHeals(let node, let shard): tierHeals(tierPlaces[node][shard])
        case .memoryIsShort: memoryIsShort()
        case .tierSpaceChanges: tierSpaceChanges()
        case .calm: becomeCalm()
        case .inspection: try inspect()
        case .examination(let place): try examine(place)
        }
    }

    /// Plans an event at a random time.
    func plan(_ event: Event, within microseconds: ClosedRange<Int>) {
        queue.add(event, at: now + .microseconds(dice.number(in: microseconds)))
    }

    func shard(at place: ShardPlace) -> SimulatedShard {
        runs[place.run].shards[place.shard]
    }

    func note(
        _ place: Trace.Place, _ what: StaticString, _ number: Int = 0,
        at position: LogPosition = .none
    ) {
        trace.note(now, place, what, number, at: position)
    }
}
