import CacheModel
import CacheVerification
import CacheWorkload
import MartletClient

/// The operations in flight, by their tags.
///
/// It grows to the most operations in flight, and allocates nothing after that.
struct OperationTable {
    /// One operation in flight, or one key of a scan.
    struct Operation {
        var kind = MeasuredKind.get
        var step = Step.only
        /// Its key's number.
        var key = 0
        /// Bytes of the value that it stores, or would store.
        var valueBytes: UInt32 = 0
        var keyBytes: UInt32 = 0
        /// When it was due.
        var dueAt: UInt64 = 0
        /// When it was passed to its connection.
        var askedAt: UInt64 = 0
        /// When its present request was answered with BUSY for the first time; 0: never.
        var busySince: UInt64 = 0
        /// Under `--verify`: the least version that the answer must show, or the stored version.
        var version = Version.none
        /// Under `--verify`: the invalidation that was sent.
        var ticket: InvalidationTicket?
        /// For a key of a scan: the scan. For a scan: the number of unanswered keys.
        var link: UInt32 = 0
        var isGood = true
    }

    /// The step of an operation with several requests.
    enum Step: UInt8 {
        /// It has one request.
        case only
        /// Reading the value before the write.
        case reading
        /// Writing the value after the read.
        case writing
        /// Reading one key of a scan.
        case scanning
        /// Storing a value for a miss; the get is over already.
        case filling
        /// Not a request of the load: it belongs to the stream of invalidations beside the load.
        case beside
    }

    private var operations: [Operation]
    private var free: [UInt32]

    init(capacity: Int) {
        operations = Array(repeating: Operation(), count: capacity)
        free = (0..<UInt32(capacity)).reversed()
    }

    /// - Returns: the tag of the operation.
    mutating func add(_ operation: Operation) -> UInt32 {
        guard let tag = free.popLast() else {
            operations.append(operation)
            return UInt32(operations.count - 1)
        }
        operations[Int(tag)] = operation
        return tag
    }

    subscript(tag: UInt32) -> Operation {
        get { operations[Int(tag)] }
        set { operations[Int(tag)] = newValue }
    }

    /// Removes an operation: its tag will be reused.
    mutating func remove(_ tag: UInt32) { free.append(tag) }
}

/// A drawn request, and how much of it was sent.
struct PendingRequest {
    let request: WorkloadRequest
    let dueAt: UInt64
    /// For a scan: how many of its keys were sent, and under which operation.
    var sentKeyCount = 0
    var scanTag: UInt32 = 0

    init(_ request: WorkloadRequest, dueAt: UInt64) {
        self.request = request
        self.dueAt = dueAt
    }
}

/// A request that follows from an answer.
enum FollowUp {
    /// The value for a miss, with the token of that miss.
    case fill(key: Int, keyBytes: UInt32, valueBytes: UInt32, token: PipelinedToken, since: UInt64)
    /// The write after a read, for the operation with that tag.
    case write(UInt32)
}
