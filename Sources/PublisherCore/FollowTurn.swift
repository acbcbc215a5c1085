import CacheInvalidation
import CacheModel

/// What one turn may still do for those who follow, and what it has done that others share.
struct FollowTurn {
    /// An answer, for all that ask the same.
    struct Answer {
        let holder: FollowBook.Holder
        let after: LogMark
        let limit: Int
        let frame: [UInt8]
        let recordCount: Int

        func isFor(_ waiter: FollowBook.Waiter) -> Bool {
            holder == waiter.holder && after == waiter.after && limit == waiter.limit
        }
    }

    var workLeft = PublisherLimits.followTurnWorkMax
    var recordsLeft = PublisherLimits.followTurnRecordsMax
    var bytesLeft = PublisherLimits.followTurnBytesMax
    /// What was read last.
    private var read: (after: LogMark, records: [SealedRecord])?
    var answer: Answer?

    var hasRoom: Bool { workLeft > 0 && recordsLeft > 0 && bytesLeft > 0 }

    /// What follows a mark, a bounded part of it; `nil` where the mark is not the log's or what
    /// follows is no longer kept.
    mutating func records(
        after mark: LogMark, in log: borrowing some InvalidationLog
    ) -> [SealedRecord]? {
        if let read, read.after == mark { return read.records }
        guard log.standing(of: mark) == .ofTheLog,
            let records = log.read(
                after: mark.position.sequence, limit: PublisherLimits.followReadRecordsMax)
        else { return nil }
        recordsLeft -= records.count
        read = (mark, records)
        return records
    }
}
