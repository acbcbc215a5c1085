import CacheInvalidation
import CacheModel

/// A log in memory whose appends end when the scene says so, as those of a disk do.
struct StagedLog: InvalidationLog {
    private var log: MemoryLog
    /// Whether the disk takes its time.
    var isSlow = false
    private(set) var ticket: LogTicket?
    private var batch: [SealedRecord] = []

    init(_ log: MemoryLog) { self.log = log }

    var id: LogID { log.id }
    var head: LogMark { log.head }
    var tail: SequenceNumber { log.tail }
    var hasHistory: Bool { log.hasHistory }
    var outlivesItsProcess: Bool { true }
    var inheritedLease: Duration? { .zero }
    var areFloorsComing: Bool { false }

    mutating func continueHistory(of id: LogID, from head: LogMark) {
        log.continueHistory(of: id, from: head)
    }

    mutating func open(_ epoch: Epoch) {
        log.open(epoch)
        batch = []
    }

    mutating func append(
        _ batch: [SealedRecord], expecting head: LogMark
    ) throws(LogRefusal) -> LogProgress {
        guard isSlow else { return try log.append(batch, expecting: head) }
        let next = LogTicket((ticket?.rawValue ?? 0) + 1)
        (self.batch, ticket) = (batch, next)
        return .underWay(next)
    }

    mutating func finish(_ outcome: LogOutcome) {
        guard outcome.ticket == ticket, outcome.refusal == nil else { return }
        do throws(LogRefusal) {
            _ = try log.append(batch, expecting: log.head)
        } catch {
            preconditionFailure("\(error)")
        }
        batch = []
    }

    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        log.read(after: sequence, limit: limit)
    }

    func digest(at sequence: SequenceNumber) -> LogDigest? { log.digest(at: sequence) }
}
