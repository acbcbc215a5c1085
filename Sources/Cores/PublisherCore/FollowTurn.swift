import CacheInvalidation
import CacheModel

/// The budget of one turn for FOLLOW requests, and the results that several requests share.
struct FollowTurn {
    /// An answer for all equal requests.
    struct Answer {
        let holder: FollowTable.Holder
        let after: LogMark
        let limit: Int
        let frame: [UInt8]
        let recordCount: Int

        func isFor(_ waiter: FollowTable.Waiter) -> Bool {
            holder == waiter.holder && after == waiter.after && limit == waiter.limit
        }
    }

    var workLeft = PublisherLimits.followTurnWorkMax
    var recordsLeft = PublisherLimits.followTurnRecordsMax
    var bytesLeft = PublisherLimits.followTurnBytesMax
    /// The records that were read last.
    private var read: (after: LogMark, records: [SealedRecord])?
    var answer: Answer?

    var hasRoom: Bool { workLeft > 0 && recordsLeft > 0 && bytesLeft > 0 }

    /// The records after a mark, a bounded number of them; `nil` if the mark is not the log's, or
    /// the records after it are no longer kept.
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
