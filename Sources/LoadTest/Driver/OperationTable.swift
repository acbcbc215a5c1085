import CacheModel
import CacheVerification

/// The operations on their way, found by the tag that they travel under.
///
/// It grows to the most that are on their way at once, and allocates nothing after that.
struct OperationTable {
    /// One operation on its way, or one key of a scan.
    struct Operation {
        var kind = MeasuredKind.get
        var step = Step.only
        /// Its key's number.
        var key = 0
        /// Bytes of the value that it stores, or would.
        var valueBytes: UInt32 = 0
        var keyBytes: UInt32 = 0
        /// When it was to be sent.
        var dueAt: UInt64 = 0
        /// When it was handed to its connection.
        var askedAt: UInt64 = 0
        /// Under `--verify`: what the answer has to show at least, or the version that is stored.
        var version = Version.none
        /// Under `--verify`: the invalidation that was sent.
        var ticket: InvalidationTicket?
        /// Of a scan's key: the scan. Of a scan: how many of its keys are not answered yet.
        var link: UInt32 = 0
        var isGood = true
    }

    /// Where an operation of several requests stands.
    enum Step: UInt8 {
        /// It has one request.
        case only
        /// The value is being read that will be written.
        case reading
        /// The value that was read is being written.
        case writing
        /// One key of a scan is being read.
        case scanning
        /// A value is being stored for a miss; the get is over already.
        case filling
        /// Nobody asked for it: it belongs to the stream of invalidations beside the load.
        case beside
    }

    private var operations: [Operation]
    private var free: [UInt32]

    init(capacity: Int) {
        operations = Array(repeating: Operation(), count: capacity)
        free = (0..<UInt32(capacity)).reversed()
    }

    var openCount: Int { operations.count - free.count }

    /// - Returns: the tag that it travels under.
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

    /// Takes it out: the tag will be given to another one.
    mutating func remove(_ tag: UInt32) { free.append(tag) }
}
