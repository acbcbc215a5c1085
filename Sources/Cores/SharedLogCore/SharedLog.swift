package import CacheInvalidation
package import CacheModel
import CacheWire

/// The leader's view of a log that is in the store: all kept records in memory, and at most one
/// write under way.
///
/// Its owner carries out what ``takeOrders()`` returns, and reports the outcome to ``finish(_:)``
/// or ``begun(at:)``. So every read is answered at once, and only a write waits for the store.
///
///     PublishingCore ── append, open ──▶ SharedLog ── takeOrders ──▶ SharedLogWriter ──▶ store
///                                           ▲ finish, begun                 │
///                                           └───────────────────────────────┘
package struct SharedLog: InvalidationLog {
    private var window: MemoryLog
    private var underWay: (ticket: LogTicket, batch: [SealedRecord])?
    private var lastTicket: UInt64 = 0
    private var orders: [SharedLogWriter.Order] = []
    /// Whether the current epoch is in the store.
    package private(set) var isBegun: Bool
    package let inheritedLease: Duration?
    private var lease: StoredLease
    package let areFloorsComing: Bool
    /// The counters of the store, as its owner reads them.
    package var storeFigures: [LogFigure] = []

    /// - Parameters:
    ///   - window: the kept records; without a history if the store has no log.
    ///   - inheritedLease: the longest lease that the store says was granted; `nil`: it says none.
    ///   - areFloorsComing: whether the owner reports the floors of the records.
    package init(_ window: MemoryLog, inheritedLease: Duration?, areFloorsComing: Bool) {
        self.window = window
        self.inheritedLease = inheritedLease
        lease = StoredLease(inherited: inheritedLease)
        self.areFloorsComing = areFloorsComing
        isBegun = window.hasHistory
    }

    package var id: LogID { window.id }
    package var head: LogMark { window.head }
    package var tail: SequenceNumber { window.tail }
    package var hasHistory: Bool { window.hasHistory }
    package var leaseKept: Duration? { lease.kept }
    package var outlivesItsProcess: Bool { true }
    package var isShared: Bool { true }
    package var figures: [LogFigure] {
        [LogFigure("log_bytes_kept", UInt64(window.keptBytes))] + storeFigures
    }

    package var appendBytesMax: Int { SharedLogLimits.batchBytesMax - (64 << 10) }

    package mutating func continueHistory(of id: LogID, from head: LogMark) {
        window.continueHistory(of: id, from: head)
        begin()
    }

    package mutating func open(_ epoch: Epoch) {
        window.open(epoch)
        begin()
    }

    private mutating func begin() {
        underWay = nil
        isBegun = false
        orders.append(.begin(id, window.head))
    }

    /// The store has the epoch that begins with this mark. An earlier one changes nothing.
    package mutating func begun(at mark: LogMark) {
        if mark == window.head { isBegun = true }
    }

    /// Leases of this length are wanted: call it in every turn. Until a longer one than
    /// ``leaseKept`` is in the store, that one is granted.
    ///
    /// A log without a history grants none yet, and stores none: of a lost log a later leader would
    /// take it for the longest that was granted.
    package mutating func want(lease wanted: Duration, now: Instant) {
        guard hasHistory, let next = lease.next(wanting: wanted, now: now) else { return }
        orders.append(.store(.lease, GrantedLease(next).bytes))
    }

    /// The store has the lease that was ordered last, or refuses it.
    package mutating func leaseEnded(isStored: Bool, now: Instant) {
        lease.ended(isStored: isStored, now: now)
    }

    @discardableResult
    package mutating func append(
        _ batch: [SealedRecord], expecting expected: LogMark
    ) throws(LogRefusal) -> LogProgress {
        precondition(hasHistory, "a log knows its position before it continues")
        precondition(underWay == nil, "one append follows the other")
        guard expected == head else { throw .unexpectedHead(head) }
        guard Self.isChain(batch, after: head) else { throw .notContiguous }
        guard !batch.isEmpty else { return .done }
        lastTicket += 1
        let ticket = LogTicket(lastTicket)
        underWay = (ticket, batch)
        orders.append(.append(ticket, batch, after: head))
        return .underWay(ticket)
    }

    package mutating func finish(_ outcome: LogOutcome) {
        guard let (ticket, batch) = underWay, ticket == outcome.ticket else { return }
        underWay = nil
        guard outcome.refusal == nil else { return }
        do throws(LogRefusal) {
            try window.append(batch, expecting: head)
        } catch {
            preconditionFailure("what was a chain on this head is one: \(error)")
        }
    }

    /// What the store has to do, in order. The orders of an epoch that was superseded meanwhile are
    /// among them: the store executes none of them on another head.
    package mutating func takeOrders() -> [SharedLogWriter.Order] {
        defer { orders = [] }
        return orders
    }

    package func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        window.read(after: sequence, limit: limit)
    }

    package func digest(at sequence: SequenceNumber) -> LogDigest? {
        window.digest(at: sequence)
    }
}
