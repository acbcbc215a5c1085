import CacheModel
import CacheNodeCore
import CacheWire

/// A client's request to a shard, and its purpose.
struct Request {
    enum Purpose {
        case get
        /// The value should be present before a reader asks.
        case prefetch
        /// A client loads after a miss.
        case load
        case fill(Int)
        /// The origin has confirmed the entry of the miss.
        case renewal(Int)
        case plainSet(Int)
        /// A copy of a plain store for another replica.
        case copy(Int)
        case delete(OperationID)
        case touch
        /// Another node fills its memory.
        case copying(Copying)
        /// The final request: is the last stored value still there?
        case proof(Int)

        /// Whether the demands of the reader apply, at a node that loads values itself.
        var isRead: Bool {
            switch self {
            case .get, .prefetch: true
            default: false
            }
        }
    }

    /// Whether a node asks the owner before of a slot.
    var isOfMove: Bool {
        if case .copying(let copying) = purpose { copying.isOfMove } else { false }
    }

    var purpose: Purpose
    var place: ShardPlace
    var items: [Int]
    var atLeast: LogPosition?
    var allowsStale = false
    /// Whether it is a strong read.
    var isStrong = false
    /// The reader's demands on a node that loads values itself.
    var readPolicy: ReadPolicy?
    var maxAgeMilliseconds: Int?
    var maxStaleMilliseconds: Int?
    var deadlineMilliseconds = 400
    /// The step of the world at which it was sent.
    var step = 0
    /// The step at which the shard received it, and the shard's clock then.
    var takenStep = 0
    var takenAt = Instant(nanoseconds: 0)
}

/// A copy that was requested.
struct Copying {
    /// The shard that asked.
    var place: ShardPlace
    var item: Int
    var request: WarmUp.CopyRequest
    /// By the clock of that shard.
    var askedAt: Instant
    /// Whether the owner before of the key's slot is asked.
    var isOfMove = false
    /// For readers that wait; `nil`: none do.
    var pull: SlotPull?
}

/// An invalidation of a writer, until it has a receipt for it.
struct Intent {
    let number: Int
    let request: InvalidateRequest
    var askedCount = 0
    /// How often a publisher answered that another one leads.
    var redirectedCount = 0
    var receipt: Receipt?
    /// The last invalidation, after which all nodes must have applied everything.
    var isFinal = false
}

/// What clients have asked: requests to shards that are not answered yet, and all invalidations.
final class RequestTable {
    private var requests: [UInt64: Request] = [:]
    private(set) var lastID: UInt64 = 0
    var intents: [Intent] = []
    /// The publisher that writers address, and whether it has answered since they asked it.
    var writersAddress = 0
    var isWriterHeard = true
    /// The positions that clients know: of receipts, and of stores that the log ordered.
    var positionsTold: [LogPosition] = []

    /// The request with that id; `nil` once it is answered.
    subscript(id: UInt64) -> Request? {
        get { requests[id] }
        set { requests[id] = newValue }
    }

    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }
}
