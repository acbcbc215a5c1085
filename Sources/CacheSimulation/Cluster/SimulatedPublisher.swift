import CacheInvalidation
import CacheModel
import PublisherCore

/// The publisher's threads: the real mind, its two sockets, and what its log's thread tells it.
final class SimulatedPublisher {
    /// Whom the ROUTER means by a peer.
    enum Owner {
        case run(Int)
        case writer
    }

    /// Every start makes another.
    private(set) var generation = 0
    var mind: PublisherMind<SimulatedLog>
    let clock: Clock
    var frames: [(peer: UInt32, bytes: [UInt8])] = []
    var subscriptionCount = 0
    /// The connections of the live channel, by run.
    var subscriptions: [Int: Int] = [:]
    var owners: [UInt32: Owner] = [:]
    var turnAt: WorldTime?
    var isUp = false
    var pauseCount = 0
    /// Since when it has been there without a pause.
    var upSince = WorldTime.beginning
    /// The furthest mark that a node told this generation before it decided where its log stands.
    var furthestTold = LogPosition.none
    var hasDecided = false
    /// When this generation began, by its clock.
    private(set) var startedAt: Instant
    /// The nodes that its configuration named then.
    var membersAtStart: Set<Int> = []
    /// The nodes that have introduced themselves to it.
    var greeted: Set<NodeID> = []
    struct Question: Hashable {
        let peer: UInt32
        let requestID: UInt64
    }

    /// At which step each invalidation was asked for last.
    var questions: [Question: Int] = [:]
    /// What the last HELLO of each peer claimed.
    var greetings: [UInt32: LogPosition] = [:]

    /// What the log's thread has told and the mind was not handed yet.
    var outcomes: [LogOutcome] = []
    var isDiskAtWork = false
    /// How far the log on disk reaches without doubt, by what was told.
    var durableHead = LogMark.none
    /// The name under which it was told last.
    var toldID = LogID.none
    /// The greatest epoch that any generation has opened.
    var openedEpoch = Epoch.none
    /// What befell the disk since the last publisher died.
    var damage: SimulatedDisk.Damage?
    /// When a publisher last began without knowing whose lives were the last, and which log's the
    /// book is.
    var bookLostStep = 0
    /// When this publisher read it.
    var bookReadStep = 0
    var bookLog = LogID.none
    /// Whether the log has ever lost its end, and went on without a trace of it.
    var hasLostUnseen = false
    /// What lay on the disk at earlier times.
    var copies: [SimulatedDisk.Contents] = []

    init(clock: Clock, mind: consuming PublisherMind<SimulatedLog>) {
        self.clock = clock
        self.mind = mind
        startedAt = clock.reading(at: .beginning)
    }

    func start(_ mind: consuming PublisherMind<SimulatedLog>, now: Instant) {
        generation += 1
        self.mind = mind
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
