import CacheInvalidation
import CacheModel

/// A log in memory that takes its time when it is told to, as one on disk always does.
struct SlowLog: InvalidationLog {
    private var log: MemoryLog
    let outlivesItsProcess: Bool
    var inheritedLease: Duration? = .zero
    /// Whether what it touched before is still being read.
    var areFloorsComing = false
    var leaseKept: Duration?
    /// Whether another publisher may lead it.
    var isShared = false
    var appendBytesMax = Int.max
    /// Whether the epoch that it stands in is kept.
    var isBegun = true
    /// Whether an epoch is kept only when the test says so.
    var isBeginningLate = false
    /// Whether appends end only when the test says so.
    var isSlow = false
    /// The append that was begun last.
    private(set) var ticket: LogTicket?
    private var batch: [SealedRecord] = []

    init(_ log: MemoryLog, outlivesItsProcess: Bool = false) {
        self.log = log
        self.outlivesItsProcess = outlivesItsProcess
    }

    var id: LogID { log.id }
    var head: LogMark { log.head }
    var tail: SequenceNumber { log.tail }
    var hasHistory: Bool { log.hasHistory }

    mutating func continueHistory(of id: LogID, from head: LogMark) {
        log.continueHistory(of: id, from: head)
        isBegun = !isBeginningLate
        batch = []
    }

    mutating func open(_ epoch: Epoch) {
        log.open(epoch)
        isBegun = !isBeginningLate
        batch = []
    }

    @discardableResult
    mutating func append(
        _ batch: [SealedRecord], expecting head: LogMark
    ) throws(LogRefusal) -> LogProgress {
        guard isSlow else { return try log.append(batch, expecting: head) }
        precondition(self.batch.isEmpty, "one append follows the other")
        self.batch = batch
        let next = LogTicket((ticket?.rawValue ?? 0) + 1)
        ticket = next
        return .underWay(next)
    }

    mutating func finish(_ outcome: LogOutcome) {
        guard outcome.ticket == ticket else { return }
        let ended = batch
        batch = []
        guard outcome.refusal == nil else { return }
        do throws(LogRefusal) {
            try log.append(ended, expecting: log.head)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        log.read(after: sequence, limit: limit)
    }

    func digest(at sequence: SequenceNumber) -> LogDigest? { log.digest(at: sequence) }
}
