import CacheModel
import Logging

/// Writes that origins have rejected: said at once, and then once in a while. No key is named: logs
/// have none.
struct RejectedWrites {
    /// How many were rejected and not said, and with which status the last of them.
    private var count = 0
    private var lastStatus: UInt16 = 0
    /// How many were ever set aside because another node may have written their keys since, and of
    /// how many it was said.
    private var overtaken: UInt64 = 0
    private var overtakenTold: UInt64 = 0
    private var nextReport = Instant(nanoseconds: 0)

    /// When something is to be said; `nil`: nothing is.
    var nextDue: Instant? { count > 0 || overtaken > overtakenTold ? nextReport : nil }

    /// - Parameter status: as in HTTP; 0 where the key could not be put into the origin's URL.
    mutating func add(_ status: UInt16) {
        count += 1
        lastStatus = status
    }

    /// - Parameter total: since the process began.
    mutating func noteOvertaken(_ total: UInt64) { overtaken = total }

    mutating func report(to logger: Logger, now: Instant) {
        guard let due = nextDue, now >= due else { return }
        nextReport = now.advanced(by: ServerLimits.rejectionReportInterval)
        if overtaken > overtakenTold {
            logger.warning(
                """
                writes: set aside, because other nodes may have written their keys since; martlet \
                queue list shows them
                """, metadata: ["count": "\(overtaken - overtakenTold)"])
            overtakenTold = overtaken
        }
        guard count > 0 else { return }
        logger.warning(
            "writes: rejected by their origin; martlet queue list shows those that were queued",
            metadata: ["count": "\(count)", "last_status": "\(lastStatus)"])
        count = 0
    }
}
