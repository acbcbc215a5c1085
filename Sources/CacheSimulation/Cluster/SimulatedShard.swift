import CacheLoading
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire

/// One shard's thread: the real mind, its mailbox, its socket, and what the oracle remembers of
/// it.
final class SimulatedShard {
    /// What other threads told it. The same letters as the server's.
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
        case disk(SimulatedAttendant.Outcome, opening: Int)
    }

    struct Request {
        var peer: CacheNodeCore.PeerID
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
    /// When its loop goes round next; `nil` while nothing is planned.
    var turnAt: WorldTime?
    /// Written, and not sent yet: the thread is held up in between.
    var outbox: [Reply] = []
    var isHeldUp = false
    var isAboutToHang = false
    var memory = ShardMemory()
    /// Reads that it has taken and not answered, where nodes load by themselves.
    var pending: [UInt64] = []
    /// Of its disk tier; `nil` if it is to have none.
    var attendant: SimulatedAttendant?
    /// Whether its namespaces' lives are known to it.
    var isConfigured = false
    /// Whether it holds nothing, and begins where the other shards' disk tiers were.
    var isBeginner = false
    /// The world's step at which it began.
    var beganStep = 0

    init(place: ShardPlace, options: ShardOptions, now: Instant) {
        self.place = place
        core = ShardCore(options: options)
        nextTick = now
    }
}
