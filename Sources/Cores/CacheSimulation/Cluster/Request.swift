import CacheModel

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
