import CacheLoading
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire

/// One shard's thread: the real core, its mailbox, its socket, and the oracle's view of it.
final class SimulatedShard {
    /// Messages from other threads, the same as the server's.
    enum Letter {
        case apply([SealedRecord], isAwaited: Bool)
        case forget(LogMark, of: LogID, isPending: Bool)
        case settle(TouchedScopes?, from: LogMark)
        case standing(NodeStanding)
        case topology([UInt8])
        case configuration
        case published(ticket: UInt64, position: LogPosition?)
        case headKnown(number: UInt64, head: LogPosition)
        case lives(previous: Incarnation)
        case resume(at: LogMark?)
        case memoryBudget(Int)
        case loadEnded(number: UInt64, LoadOutcome, fill: Int?)
        case copies(WarmUp.Batch, Answer.Given)
        case pulled(SlotPull, WarmUp.Batch?, Answer.Given?)
        case disk(SimulatedAttendant.Outcome, opening: Int)
    }

    struct Request {
        var peer: PeerID
        var bytes: [UInt8]
    }

    struct Reply {
        var answer: Answer
        var claimsFresh: Bool
    }

    let place: ShardPlace
    var core: ShardCore
    var letters: [Letter] = []
    var requests: [Request] = []
    var replies = ReplyBuffer()
    var effects: [ShardEffect] = []
    var nextTick: Instant
    /// When its loop runs next; `nil` while nothing is planned.
    var turnAt: WorldTime?
    /// Written and unsent replies: the thread stalls in between.
    var outbox: [Reply] = []
    var isHeldUp = false
    var isAboutToHang = false
    var memory = ShardMemory()
    /// Reads that it has received and not answered, if nodes load by themselves.
    var pending: [UInt64] = []
    /// Slots that it got, with entries that are copied in the background.
    var arrivals: [SlotMove] = []
    /// Keys that it requested from owners before, for readers that wait.
    var pulledItems: Set<Int> = []
    /// The attendant of its disk tier; `nil` without a tier.
    var attendant: SimulatedAttendant?
    /// Whether it knows the lifetimes of its namespaces.
    var isConfigured = false
    /// Whether it is empty, and begins at the position of the other shards' disk tiers.
    var isBeginner = false
    /// The step at which it began.
    var beganStep = 0

    init(place: ShardPlace, options: ShardOptions, now: Instant) {
        self.place = place
        core = ShardCore(options: options)
        nextTick = now
    }
}
