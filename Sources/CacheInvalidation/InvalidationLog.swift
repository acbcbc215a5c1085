package import CacheModel

/// One total order of invalidation records, as its one writer sees it.
///
/// This module holds both ends of coherence as pure machines. A publisher's mind owns a log, a
/// ``GrantTable`` and a ``ReceiptTracker``; a node's control thread owns a subscriber and a lease.
/// Each belongs to one thread, takes the time as an argument and never waits: events in, answers
/// out. It knows no bytes of the wire and no socket:
///
///     INVALIDATE ─▶ InvalidationLog ─ append ─▶ broadcast ─▶ ReceiptTracker ─▶ receipt
///                        │  ▲                                   ▲
///                 replay ▼  │ is this mark yours?               │ applied, left
///     HELLO, PING, ACK ─────┴─────────▶ GrantTable ─────────────┘
///
/// A log is the seam behind which records become durable. Its promises, which every engine keeps:
///
/// - Within an epoch sequence numbers are contiguous from 1 and records never change.
/// - Every record carries the digest of the one before it, so a mark either is the log's or is not.
/// - `append` happens whole or not at all, and only onto the head its caller expects.
/// - The oldest records may be dropped; what is kept is contiguous and ends at the head.
package protocol InvalidationLog {
    var id: LogID { get }
    /// The newest position and the digest there. ``CacheModel/LogMark/none`` until the log has a
    /// history.
    var head: LogMark { get }
    /// The oldest record kept; the number after the head where none is.
    var tail: SequenceNumber { get }
    /// Whether the log knows where it stands. A log that lost its records, as one in memory does
    /// with its process, does not until ``continueHistory(of:from:)`` tells it.
    var hasHistory: Bool { get }
    /// Whether the epoch that the log stands in is kept where its records will be. Before that
    /// nobody may hear of it: a log that is opened after a crash would open the same number again,
    /// with other records.
    var isBegun: Bool { get }
    /// Whether the log's records survive its process. If they do and there are none all the same,
    /// they were lost, and what was invalidated by them nobody knows.
    var outlivesItsProcess: Bool { get }
    /// The longest lease that an earlier publisher may have granted; `nil` where that is not known.
    var inheritedLease: Duration? { get }
    /// The longest lease that a later publisher would know of: none longer is granted. `nil` where
    /// nothing is kept of leases.
    var leaseKept: Duration? { get }
    /// Whether what its records touched is still being read; the log's shell will tell it.
    var areFloorsComing: Bool { get }
    /// What the log tells of itself in STATUS, beside where it stands.
    var figures: [LogFigure] { get }

    /// Stands where another log stood, keeping none of its records. Everything that was kept is
    /// forgotten.
    mutating func continueHistory(of id: LogID, from head: LogMark)

    /// Begins a new life at sequence 0. Records of older epochs are no longer kept.
    ///
    /// - Precondition: `epoch` is greater than the head's.
    mutating func open(_ epoch: Epoch)

    /// Appends records that follow each other and `head`; nothing else may be under way.
    ///
    /// - Returns: whether they are in the log already. A log that is still writing them tells its
    ///   owner's shell when that has ended, and has not moved its head until ``finish(_:)``.
    /// - Throws: ``LogRefusal``; nothing was appended then.
    @discardableResult
    mutating func append(
        _ batch: [SealedRecord], expecting head: LogMark
    ) throws(LogRefusal) -> LogProgress

    /// An append that was under way has ended: if it was not refused, its records are in the log
    /// now. One that an epoch has left behind changes nothing.
    mutating func finish(_ outcome: LogOutcome)

    /// The records after `sequence` in this epoch, oldest first, at most `limit`; `nil` where one
    /// of them is no longer kept or `sequence` is beyond the head.
    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]?

    /// The log's digest right after `sequence` in this epoch; `nil` where it is not known any more
    /// or not yet.
    func digest(at sequence: SequenceNumber) -> LogDigest?
}

/// Why a log did not append.
package enum LogRefusal: Error, Equatable, CustomStringConvertible {
    /// The log stands elsewhere: somebody else wrote to it.
    case unexpectedHead(LogMark)
    /// The records do not follow the head, or each other.
    case notContiguous
    /// The engine could not make them durable; it says why.
    case storage(String)

    package var description: String {
        switch self {
        case .unexpectedHead(let mark): "the log stands at \(mark.position); somebody wrote to it"
        case .notContiguous: "the records do not follow each other"
        case .storage(let reason): reason
        }
    }
}

/// How an append stands when the log returns from it.
package enum LogProgress: Hashable, Sendable {
    /// The records are in the log.
    case done
    /// They are being written; the outcome will bear this ticket.
    case underWay(LogTicket)
}

/// The name of one append that takes its time.
package struct LogTicket: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What became of an append that took its time.
package struct LogOutcome: Equatable, Sendable {
    package let ticket: LogTicket
    /// Why nothing was appended; `nil` if everything was.
    package let refusal: LogRefusal?

    package init(ticket: LogTicket, refusal: LogRefusal? = nil) {
        self.ticket = ticket
        self.refusal = refusal
    }
}

/// How somebody's claim about a log stands to the log itself.
package enum MarkStanding: Hashable, Sendable {
    /// It is the log's.
    case ofTheLog
    /// It lies before what is kept, so nobody can tell; or it claims nothing at all.
    case beforeTail
    /// It speaks of an epoch that is over.
    case olderEpoch
    /// It lies beyond the head: the log has lost its end.
    case ahead
    /// The log had another record there: a tail was lost and its numbers used again.
    case unlike
}

extension InvalidationLog {
    package var isBegun: Bool { true }
    package var leaseKept: Duration? { nil }
    package var figures: [LogFigure] { [] }
    package var areFloorsComing: Bool { false }

    /// How a claim stands to this log.
    package func standing(of mark: LogMark) -> MarkStanding {
        let claimsNothing = mark.position.sequence == .none && mark.digest == LogDigest(0)
        guard mark.position.epoch != .none, !claimsNothing else { return .beforeTail }
        guard mark.position <= head.position else { return .ahead }
        guard mark.position.epoch == head.position.epoch else { return .olderEpoch }
        guard let digest = digest(at: mark.position.sequence) else { return .beforeTail }
        return digest == mark.digest ? .ofTheLog : .unlike
    }

    /// Whether each of `batch` follows the one before it, and the first follows `head`.
    package static func isChain(_ batch: [SealedRecord], after head: LogMark) -> Bool {
        var mark = head
        for sealed in batch {
            guard sealed.position.directlyFollows(mark.position),
                sealed.record.previousDigest == mark.digest
            else { return false }
            mark = sealed.mark
        }
        return true
    }
}
