package import CacheModel

/// One total order of invalidation records, as its one writer sees it.
///
/// This module holds both ends of coherence as sans-I/O cores. A publisher's core owns a log, a
/// ``GrantTable`` and a ``ReceiptTracker``; a node's control thread owns a subscriber and a lease.
/// Each belongs to one thread, takes the time as an argument and never blocks: events in, actions
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
    /// Whether the log's place is known. A log that lost its records, as a log in memory does with
    /// its process, has no place until ``continueHistory(of:from:)`` sets it.
    var hasHistory: Bool { get }
    /// Whether the current epoch is stored where its records will be. Before that the epoch must
    /// not be sent to any node: a log that is opened after a crash would open the same epoch again,
    /// with other records.
    var isBegun: Bool { get }
    /// Whether the log's records survive its process. If they do and there are none all the same,
    /// they were lost, and it is unknown what they invalidated.
    var outlivesItsProcess: Bool { get }
    /// The longest lease that an earlier publisher may have granted; `nil` where that is not known.
    var inheritedLease: Duration? { get }
    /// The longest lease that a later publisher would know of: no longer one is granted. `nil`
    /// where leases are not stored.
    var leaseKept: Duration? { get }
    /// Whether the floors of its records are still being read; the log's shell will report them.
    var areFloorsComing: Bool { get }
    /// Whether another publisher may lead the log: what depends on its being the newest waits for a
    /// confirmation.
    var isShared: Bool { get }
    /// Most bytes of records in one append; the first record of one may exceed it.
    var appendBytesMax: Int { get }
    /// The log's counters for STATUS, beside its position.
    var figures: [LogFigure] { get }

    /// Continues where another log stood, with none of its records. All kept records are forgotten.
    mutating func continueHistory(of id: LogID, from head: LogMark)

    /// Begins a new epoch at sequence 0. Records of older epochs are no longer kept.
    ///
    /// - Precondition: `epoch` is greater than the head's.
    mutating func open(_ epoch: Epoch)

    /// Appends records that follow each other and `head`; nothing else may be under way.
    ///
    /// - Returns: whether they are in the log already. A log that is still writing them reports the
    ///   end to its owner's shell, and has not moved its head until ``finish(_:)``.
    /// - Throws: ``LogRefusal``; nothing was appended then.
    @discardableResult
    mutating func append(
        _ batch: [SealedRecord], expecting head: LogMark
    ) throws(LogRefusal) -> LogProgress

    /// An append that was under way has ended: if it was not refused, its records are in the log
    /// now. An append that a new epoch superseded changes nothing.
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
    /// The head is another than expected: another writer has written to the log.
    case unexpectedHead(LogMark)
    /// The records do not follow the head, or each other.
    case notContiguous
    /// The engine could not make them durable; it says why.
    case storage(String)
    /// Another publisher leads the log, which will never have them.
    case superseded
    /// The log may have had them: another publisher leads, and what would show it is removed.
    case unknown

    /// Whether the log may have the records all the same.
    package var mayBeAppended: Bool { self == .unknown }

    package var description: String {
        switch self {
        case .unexpectedHead(let mark):
            "the log is at \(mark.position): another writer appended to it"
        case .notContiguous: "the records do not follow each other"
        case .storage(let reason): reason
        case .superseded: "another publisher leads"
        case .unknown: "another publisher leads, and the log's records of that time are removed"
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

/// The id of one slow append.
package struct LogTicket: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// The outcome of a slow append.
package struct LogOutcome: Equatable, Sendable {
    package let ticket: LogTicket
    /// Why nothing was appended; `nil` if everything was.
    package let refusal: LogRefusal?

    package init(ticket: LogTicket, refusal: LogRefusal? = nil) {
        self.ticket = ticket
        self.refusal = refusal
    }
}

/// How a claimed mark relates to the log.
package enum MarkStanding: Hashable, Sendable {
    /// It is the log's.
    case ofTheLog
    /// It lies before the kept records, so it cannot be judged; or it claims nothing at all.
    case beforeTail
    /// It is of an epoch that is over.
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
    package var isShared: Bool { false }
    package var appendBytesMax: Int { .max }

    /// How a claimed mark relates to this log.
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
