import CacheInvalidation
import CacheModel
import PublisherCore

/// The publisher's threads: the real core, its two sockets, and the reports of its log's thread.
final class SimulatedPublisher {
    /// The owner of a connection to the ROUTER socket.
    enum Owner {
        case run(Int)
        case writer
    }

    /// Each start is a new generation.
    private(set) var generation = 0
    var core: PublishingCore<SimulatedLog>
    let clock: Clock
    var frames: [(peer: UInt32, bytes: [UInt8])] = []
    var subscriptionCount = 0
    /// The connections of the live channel, by run.
    var subscriptions: [Int: Int] = [:]
    var owners: [UInt32: Owner] = [:]
    var turnAt: WorldTime?
    var isUp = false
    var pauseCount = 0
    /// Since when it has been up without a pause.
    var upSince = WorldTime.beginning
    /// The greatest position that a node reported to this generation before it chose where to
    /// continue.
    var furthestTold = LogPosition.none
    var hasDecided = false
    /// When this generation began, by its clock.
    private(set) var startedAt: Instant
    /// The nodes of its configuration at that time.
    var membersAtStart: Set<Int> = []
    /// The nodes that have sent it a HELLO.
    var greeted: Set<NodeID> = []
    struct Question: Hashable {
        let peer: UInt32
        let requestID: UInt64
    }

    /// The step of the last request for each invalidation.
    var questions: [Question: Int] = [:]
    /// The position in the last HELLO of each peer.
    var greetings: [UInt32: LogPosition] = [:]

    /// Reports of the log's thread that the core has not received yet.
    var outcomes: [LogOutcome] = []
    var isDiskAtWork = false
    /// The durable head of the log, by these reports.
    var durableHead = LogMark.none
    /// The id of the log at the last report.
    var toldID = LogID.none
    /// The greatest epoch that any generation has opened.
    var openedEpoch = Epoch.none
    /// The damage to the disk since the last publisher died.
    var damage: SimulatedDisk.Damage?
    /// The step at which a publisher last started without the table of each node's last run, and
    /// the log of that table.
    var bookLostStep = 0
    /// When this publisher read that table.
    var bookReadStep = 0
    var bookLog = LogID.none
    /// Whether the log has ever lost its end without a trace, and continued.
    var hasLostUnseen = false
    /// Earlier contents of the disk.
    var copies: [SimulatedDisk.Contents] = []

    init(clock: Clock, core: consuming PublishingCore<SimulatedLog>) {
        self.clock = clock
        self.core = core
        startedAt = clock.reading(at: .beginning)
    }

    func start(_ core: consuming PublishingCore<SimulatedLog>, now: Instant) {
        generation += 1
        self.core = core
        startedAt = now
        greeted = []
        frames = []
        subscriptionCount = 0
        subscriptions = [:]
        owners = [:]
        furthestTold = .none
        hasDecided = false
        outcomes = []
        greetings = [:]
        questions = [:]
        isDiskAtWork = false
        isUp = true
    }

    var runs: Bool { isUp && pauseCount == 0 }
}
