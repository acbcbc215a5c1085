import CacheAccess
import CacheInvalidation
import CacheMetrics
import CacheModel
import CacheWire
import DequeModule

/// The clients that wait for a receipt, and the end of each wait. docs/decisions/0031 gives the
/// reasons.
struct ReceiptQueue {
    private struct Waiting {
        let requester: Requester
        /// Whether it asked about a record that was already in the log.
        let isQuestion: Bool
        /// Whether the answer names the issuer of that record: only clients that see the whole log
        /// may know it.
        var isToldIssuer = false
    }

    /// Tracks which runs have applied which position.
    var tracker = ReceiptTracker()
    /// Times of nodes to apply records with an awaited receipt.
    private(set) var appliedTimes = DurationHistogram(.long)
    /// The issuers and the append times of the newest records.
    private var recent = RecentRecords()
    private var waiting: [ReceiptTracker.Token: Waiting] = [:]
    private var lastToken: UInt64 = 0

    var count: Int { tracker.count }

    /// A request's record was appended now.
    mutating func note(_ placed: PlacedRequest, now: Instant) {
        let issuer = placed.queued.request.issuer
        recent.note(placed.position, .init(issuer: issuer, appendedAt: now))
    }

    // MARK: Beginning

    /// The waits of the clients whose records are in the log begin.
    ///
    /// - Parameter grants: the runs to wait for.
    mutating func begin(
        _ placed: [PlacedRequest], _ plan: PublisherPlan, among grants: GrantTable, now: Instant
    ) {
        let orders = placed.compactMap { one -> ReceiptTracker.Order? in
            guard let requester = one.queued.requester else { return nil }
            let token = nextToken(for: Waiting(requester: requester, isQuestion: false))
            return ReceiptTracker.Order(
                token: token, position: one.position, goal: plan.goal(of: one.queued.request.wait),
                deadline: one.queued.deadline)
        }
        tracker.begin(orders, grants: grants, now: now)
    }

    /// A wait for a record that is in the log already begins.
    mutating func begin(
        _ request: AwaitRequest, of message: IncomingMessage, _ plan: PublisherPlan,
        among grants: GrantTable
    ) {
        let waiter = Waiting(
            requester: message.requester, isQuestion: true,
            isToldIssuer: message.entry?.mayFollowLog ?? true)
        var order = ReceiptTracker.Order(
            token: nextToken(for: waiter), position: request.position,
            goal: plan.goal(of: request.wait),
            deadline: message.deadline(timeoutMilliseconds: request.timeoutMilliseconds))
        order.appendedAt = recent[request.position]?.appendedAt
        tracker.begin([order], grants: grants, now: message.now)
    }

    private mutating func nextToken(for waiter: Waiting) -> ReceiptTracker.Token {
        lastToken += 1
        let token = ReceiptTracker.Token(lastToken)
        waiting[token] = waiter
        return token
    }

    // MARK: Ending

    /// Sends the receipts of the waits that are over at `now`; all of them at the greatest instant,
    /// when the publisher stops.
    ///
    /// - Parameter lease: the longest lease under which a near cache may have been filled right
    ///   before the last node applied the record.
    mutating func finish(
        at now: Instant, lease: Duration, shares: inout WaitShares, output: inout PublisherOutput
    ) {
        for outcome in tracker.takeFinished(at: now) {
            guard let waiter = waiting.removeValue(forKey: outcome.order.token) else { continue }
            shares.leave(waiter.requester.principal)
            var receipt = Receipt(outcome, lease: lease)
            if waiter.isQuestion {
                let record = recent[outcome.order.position]
                receipt.issuer = waiter.isToldIssuer ? record?.issuer : nil
            } else {
                count(outcome, output: &output)
                audit(outcome, to: waiter.requester, now: now, output: &output)
            }
            output.reply(to: waiter.requester) {
                receipt.encode(requestID: waiter.requester.requestID, into: &$0)
            }
        }
    }

    /// Another publisher will lead: forgets all waits.
    ///
    /// - Returns: the clients that wait, the earliest first. Their records are in the log.
    mutating func handOver() -> [Requester] {
        defer { (tracker, waiting) = (ReceiptTracker(), [:]) }
        return waiting.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value.requester)
    }

    /// Counts a receipt, and the times of its nodes. A wait for no node measures nothing.
    private mutating func count(_ outcome: ReceiptOutcome, output: inout PublisherOutput) {
        if outcome.isComplete {
            output.statistics.receiptsComplete += 1
        } else {
            output.statistics.receiptsIncomplete += 1
        }
        guard outcome.order.goal != .nothing else { return }
        for line in outcome.applied { appliedTimes.note(line.elapsed) }
    }

    /// Records the end of a wait. A request that waited for no node gets no receipt line.
    private func audit(
        _ outcome: ReceiptOutcome, to requester: Requester, now: Instant,
        output: inout PublisherOutput
    ) {
        guard output.isAudited, outcome.order.goal != .nothing else { return }
        // When the publisher stops, it ends all waits with the greatest instant.
        let isOver = now == Instant(nanoseconds: .max)
        let appendedAt = isOver ? nil : recent[outcome.order.position]?.appendedAt
        let receipt = AuditEvent.Receipt(
            isComplete: outcome.isComplete, appliedCount: outcome.applied.count,
            expiredCount: outcome.expired.count, pendingCount: outcome.pending.count,
            milliseconds: appendedAt.map { now.elapsed(since: $0).wholeMilliseconds })
        output.audit(.receipt(receipt, of: outcome.order.position), by: requester.party)
    }
}

extension PublisherPlan {
    fileprivate func goal(of mode: WaitMode) -> ReceiptTracker.Goal {
        switch mode {
        case .none: .nothing
        case .quorum: .nodes(quorum)
        case .all: .everyHolder
        }
    }
}

extension Receipt {
    fileprivate init(_ outcome: ReceiptOutcome, lease: Duration) {
        let mode: WaitMode =
            switch outcome.order.goal {
            case .nothing: .none
            case .nodes: .quorum
            case .everyHolder: .all
            }
        self.init(
            position: outcome.order.position, wait: mode, isComplete: outcome.isComplete,
            nearCacheMilliseconds: UInt32(clamping: lease.wholeMilliseconds))
        applied = outcome.applied.map { .init(node: $0.node, elapsed: $0.elapsed) }
        expired = outcome.expired.map { .init(node: $0.node, elapsed: $0.elapsed) }
        pending = outcome.pending
    }
}

/// The issuer and the append time of the newest records, which the log does not store.
///
/// Bounded by ``PublisherLimits/recentRecordsMax``. Lost at a restart.
struct RecentRecords {
    struct Entry: Hashable {
        let issuer: Issuer?
        let appendedAt: Instant
    }

    private var newest = LogPosition.none
    private var entries: Deque<Entry> = []

    var count: Int { entries.count }

    /// A record was appended. A known position is ignored: its request was repeated.
    mutating func note(_ position: LogPosition, _ entry: Entry) {
        guard position > newest else { return }
        if !position.directlyFollows(newest) { entries.removeAll() }
        newest = position
        if entries.count == PublisherLimits.recentRecordsMax { entries.removeFirst() }
        entries.append(entry)
    }

    /// The entry of the record at `position`; `nil` if it is not remembered.
    ///
    /// - Complexity: O(1).
    subscript(position: LogPosition) -> Entry? {
        guard position.epoch == newest.epoch, position <= newest else { return nil }
        let back = newest.sequence.rawValue - position.sequence.rawValue
        guard back < UInt64(entries.count) else { return nil }
        return entries[entries.count - 1 - Int(back)]
    }
}
