import CacheModel

/// What a client asked a shard, and what it wanted by it.
struct Request {
    enum Purpose {
        case get
        /// It is to be there when somebody asks.
        case prefetch
        /// A miss is to be loaded.
        case load
        case fill(Int)
        /// The origin has confirmed what the miss named.
        case renewal(Int)
        case plainSet(Int)
        /// A copy of a plain store for another replica.
        case copy(Int)
        case delete(OperationID)
        case touch
        /// Another node fills its memory.
        case copying(Copying)
        /// The final question: is the value there that was stored here in the end?
        case proof(Int)

        /// Whether a node that loads by itself is to do what its reader demands.
        var isRead: Bool {
            switch self {
            case .get, .prefetch: true
            default: false
            }
        }
    }

    var purpose: Purpose
    var place: ShardPlace
    var items: [Int]
    var atLeast: LogPosition?
    var allowsStale = false
    /// Asks for what is fresh as of now.
    var isStrong = false
    /// What it demands of a node that loads by itself.
    var readPolicy: ReadPolicy?
    var maxAgeMilliseconds: Int?
    var maxStaleMilliseconds: Int?
    var deadlineMilliseconds = 400
    /// The step of the world at which it was asked.
    var step = 0
    /// At which step its shard took it, and what that one's clock showed.
    var takenStep = 0
    var takenAt = Instant(nanoseconds: 0)
}
