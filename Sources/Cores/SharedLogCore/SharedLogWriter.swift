package import CacheInvalidation
package import CacheModel
import CacheWire
import DequeModule

/// Writes a leader's log and state to the store, one transaction after the other.
///
/// Each transaction compares the leader's term; one that writes records compares the head too, and
/// one that writes state the count of such writes. So a publisher that was deposed changes nothing,
/// and a request that is executed late is not executed twice, nor after a later one.
///
/// **An outcome that is not known is never guessed.** A request without an answer may be executed
/// later. It is repeated, identical, until it succeeds or its comparison fails. A comparison that
/// failed once fails for ever, because terms are random and heads do not come back; and the records
/// that were read with it show whether the first attempt had succeeded.
///
///     order ─▶ jobs ─▶ next(now:) ─▶ store ─▶ finished(outcome, now:) ─▶ news
///                         ▲                       │ unknown
///                         └───────────────────────┘
package struct SharedLogWriter {
    /// What its owner wants written.
    package enum Order: Hashable, Sendable {
        case append(LogTicket, [SealedRecord], after: LogMark)
        /// The log continues here with none of its records: a new epoch.
        case begin(LogID, LogMark)
        case store(StateName, [UInt8])
    }

    /// What has become of it.
    package enum News: Equatable, Sendable {
        case appended(LogOutcome)
        case begun(LogMark)
        /// - Parameter failure: as text for people; `nil`: it is stored.
        case stored(StateName, failure: String?)
        /// Another term leads, or none: nothing of this one will be written any more.
        case deposed(LeaderValue?)
        /// The store has not answered, or refuses; `nil`: it answers again. For people.
        case trouble(String?)
    }

    private struct Attempt {
        let order: Order
        let transaction: StoreTransaction
        /// The head and the batches of the store if it is executed.
        let head: HeadValue?
        let removedCount: Int
        /// The count of writes of state if it is executed.
        var turn: [UInt8]?
        /// Whether an earlier attempt has no known outcome.
        var isUncertain = false
        var isSent = false
        var notBefore: Instant
        var failureCount = 0
    }

    private let keys: SharedKeys
    private let leader: LeaderValue
    private let bytesMax: Int
    /// The head in the store, as this term wrote or read it; `nil`: there is none.
    package private(set) var head: HeadValue?
    private var batches: Deque<StoredBatch> = []
    /// The count of writes of state in the store; `nil`: none is known, and there may be none.
    private var turn: [UInt8]?
    private var turnCount: UInt64 = 0
    private var jobs: Deque<Order> = []
    private var attempt: Attempt?
    private var isDeposed = false
    private var isInTrouble = false
    /// The checks of the protocol; test builds can disable some.
    var guards = Guards.all

    /// - Parameters:
    ///   - leader: the value of the term in the store.
    ///   - head: the store's head, read after the term began; `nil`: there is none.
    ///   - batches: those in the store, oldest first.
    ///   - bytesMax: of the batches to keep. The newest is always kept, and those of the last
    ///     ``CacheInvalidation/InvalidationLimits/operationWindow``.
    package init(
        _ keys: SharedKeys, leader: LeaderValue, head: HeadValue?,
        batches: [StoredBatch], bytesMax: Int
    ) {
        self.keys = keys
        self.leader = leader
        self.head = head
        self.batches = Deque(batches)
        self.bytesMax = bytesMax
    }

    /// Whether nothing is being written or waits to be.
    package var isIdle: Bool { jobs.isEmpty && attempt == nil }

    package mutating func order(_ order: Order) {
        guard !isDeposed else { return }
        // Only the newest bytes of a state count, unless they are being written.
        if case .store(let name, _) = order {
            jobs.removeAll { if case .store(name, _) = $0 { true } else { false } }
        }
        jobs.append(order)
    }

    // MARK: Sending

    /// The transaction to send now; `nil` while one is under way, and if nothing is to be written.
    package mutating func next(now: Instant) -> StoreTransaction? {
        if attempt == nil, let order = jobs.popFirst() { attempt = prepare(order, now: now) }
        guard let known = attempt, !known.isSent, known.notBefore <= now else { return nil }
        attempt?.isSent = true
        return known.transaction
    }

    /// When ``next(now:)`` has a transaction; `nil` while it waits for an answer or an order.
    package var nextDue: Instant? {
        if let attempt { return attempt.isSent ? nil : attempt.notBefore }
        return jobs.isEmpty ? nil : Instant(nanoseconds: 0)
    }

    private mutating func prepare(_ order: Order, now: Instant) -> Attempt {
        switch order {
        case .append(_, let batch, let mark): prepare(order, batch, after: mark, now: now)
        case .begin(let log, let mark): prepareBegin(order, log, mark, now: now)
        case .store(let name, let bytes): prepareState(order, name, bytes, now: now)
        }
    }

    private mutating func prepareState(
        _ order: Order, _ name: StateName, _ bytes: [UInt8], now: Instant
    ) -> Attempt {
        turnCount += 1
        var next = SharedWords()
        next.add("term", "\(leader.term)")
        next.add("writes", turnCount)
        var conditions = [
            isLeader, turn.map { .isEqual(keys.turn, $0) } ?? .isAbsent(keys.turn),
        ]
        if !guards.isOn(.stateOrder) { conditions.removeLast() }
        if !guards.isOn(.stateFence) { conditions = [] }
        return Attempt(
            order: order,
            transaction: StoreTransaction(
                conditions: conditions,
                changes: [.put(keys.state(name), bytes), .put(keys.turn, next.bytes)],
                readsIfRefused: [.init(.key(keys.leader)), .init(.key(keys.turn))]),
            head: head, removedCount: 0, turn: next.bytes, notBefore: now)
    }

    private var isLeader: StoreTransaction.Condition { .isEqual(keys.leader, leader.bytes) }

    private var isAtHead: StoreTransaction.Condition {
        head.map { .isEqual(keys.head, $0.bytes) } ?? .isAbsent(keys.head)
    }

    private func prepare(
        _ order: Order, _ batch: [SealedRecord], after mark: LogMark, now: Instant
    ) -> Attempt {
        guard var after = head, let last = batch.last?.mark else {
            preconditionFailure("records follow a log that has begun")
        }
        let value = RecordBatch.encoded(batch)
        var (bytes, removed) = (batches.reduce(value.count) { $0 + $1.bytes }, 0)
        while bytes > bytesMax, removed < batches.count,
            batches[removed].knownAt.advanced(by: InvalidationLimits.operationWindow) <= now
        {
            bytes -= batches[removed].bytes
            removed += 1
        }
        let key = keys.records(through: last.position)
        var changes: [StoreTransaction.Change] = [.put(key, value)]
        if removed > 0 {
            after.tail = batches[removed - 1].last.sequence.next
            let oldest =
                removed < batches.count ? batches[removed].last : last.position
            changes.append(.remove(keys.records(before: oldest)))
        }
        // The caller's head, not the one that was read: an append onto another one must fail.
        var expected = after
        expected.mark = mark
        expected.tail = head?.tail ?? after.tail
        after.mark = last
        changes.append(.put(keys.head, after.bytes))
        return Attempt(
            order: order,
            transaction: StoreTransaction(
                conditions: (guards.isOn(.appendFence) ? [isLeader] : [])
                    + (guards.isOn(.headFence) ? [.isEqual(keys.head, expected.bytes)] : []),
                changes: changes,
                readsIfRefused: [
                    .init(.key(keys.leader)), .init(.key(keys.head)), .init(.key(key)),
                ]),
            head: after, removedCount: removed, notBefore: now)
    }

    private func prepareBegin(
        _ order: Order, _ log: LogID, _ mark: LogMark, now: Instant
    ) -> Attempt {
        let begun = HeadValue(log: log, mark: mark, tail: mark.position.sequence.next)
        return Attempt(
            order: order,
            transaction: StoreTransaction(
                conditions: [isLeader, isAtHead],
                changes: [.remove(keys.everyRecord), .put(keys.head, begun.bytes)],
                readsIfRefused: [.init(.key(keys.leader)), .init(.key(keys.head))]),
            head: begun, removedCount: batches.count, notBefore: now)
    }

    // MARK: Outcomes

    /// The transaction that was sent last has an outcome.
    package mutating func finished(_ outcome: StoreOutcome, now: Instant) -> [News] {
        guard var ended = attempt, ended.isSent else { return [] }
        switch outcome {
        case .success(let answer):
            guard case .transaction(let isExecuted, let pairs) = answer.content else {
                return finished(.failure(.unknown("the store answered something else")), now: now)
            }
            attempt = nil
            let news: [News] = isInTrouble ? [.trouble(nil)] : []
            isInTrouble = false
            return news
                + (isExecuted ? executed(ended, now: now) : compared(ended, pairs, now: now))
        case .failure(let failure):
            attempt = nil
            if case .append = ended.order, !guards.isOn(.unknownNotDone) {
                return executed(ended, now: now)
            }
            let isOver = isFinal(failure, ended)
            if isOver { return inTrouble(failure) + failed(ended.order, .storage(failure.reason)) }
            ended.isUncertain = true
            ended.isSent = false
            ended.failureCount += 1
            ended.notBefore = now.advanced(by: SharedLogLimits.pause(after: ended.failureCount))
            attempt = ended
            return inTrouble(failure)
        }
    }

    /// Whether the failure proves that nothing was, or will be, executed. An epoch is tried until
    /// it is begun: without it the log has no place.
    private func isFinal(_ failure: StoreFailure, _ ended: Attempt) -> Bool {
        if case .begin = ended.order { return false }
        if !guards.isOn(.unknownNotFailed) { return true }
        return if case .refused = failure { !ended.isUncertain } else { false }
    }

    private mutating func inTrouble(_ failure: StoreFailure) -> [News] {
        defer { isInTrouble = true }
        return isInTrouble ? [] : [.trouble(failure.reason)]
    }

    private mutating func executed(_ ended: Attempt, now: Instant) -> [News] {
        switch ended.order {
        case .append(let ticket, _, _):
            settle(ended, now: now)
            return [.appended(LogOutcome(ticket: ticket))]
        case .begin(_, let mark):
            settle(ended, now: now)
            return [.begun(mark)]
        case .store(let name, _):
            turn = ended.turn
            return [.stored(name, failure: nil)]
        }
    }

    private mutating func settle(_ ended: Attempt, now: Instant) {
        head = ended.head
        batches.removeFirst(ended.removedCount)
        if case .append(_, let batch, _) = ended.order, let last = batch.last?.position {
            batches.append(
                StoredBatch(
                    last: last, bytes: batch.reduce(0) { $0 + $1.bytes.count }, knownAt: now))
        }
    }

    /// A condition did not hold. What was read then decides for ever.
    private mutating func compared(
        _ ended: Attempt, _ pairs: [[StorePair]], now: Instant
    ) -> [News] {
        let leads = pairs.first?.first?.value == leader.bytes
        let isDone = isInStore(ended, pairs)
        if leads, !isDone, case .store = ended.order, let found = pairs.last?.first?.value,
            found != turn
        {
            // The count of an earlier term.
            turn = found
            attempt = prepare(ended.order, now: now)
            return []
        }
        var news: [News] = []
        if isDone {
            news = executed(ended, now: now)
        } else {
            news = failed(ended.order, hidesOutcome(ended, pairs) ? .unknown : .superseded)
        }
        // With the own term and another head, another writer was there: this term cannot continue.
        guard !leads || !isDone else { return news }
        isDeposed = true
        let others = jobs
        jobs = []
        for order in others { news += failed(order, .superseded) }
        let other = pairs.first?.first.flatMap { LeaderValue($0.value) }
        return news + [.deposed(leads ? nil : other)]
    }

    /// Whether an earlier attempt was executed.
    private func isInStore(_ ended: Attempt, _ pairs: [[StorePair]]) -> Bool {
        guard ended.isUncertain, pairs.count > 1 else { return false }
        if let turn = ended.turn { return pairs[1].first?.value == turn }
        if pairs[1].first?.value == ended.head?.bytes { return true }
        guard case .append(_, let batch, _) = ended.order, pairs.count > 2 else { return false }
        return pairs[2].first?.value == RecordBatch.encoded(batch)
    }

    /// Whether an earlier attempt may have been executed, and what it wrote may have been removed
    /// since: by an epoch, or by the retention.
    private func hidesOutcome(_ ended: Attempt, _ pairs: [[StorePair]]) -> Bool {
        guard ended.isUncertain, case .append(_, let batch, let mark) = ended.order,
            let last = batch.last?.position
        else { return false }
        guard pairs.count > 1, let head = pairs[1].first.flatMap({ HeadValue($0.value) }) else {
            return true
        }
        return head.log != self.head?.log || head.mark.position.epoch != mark.position.epoch
            || head.tail > last.sequence
    }

    private func failed(_ order: Order, _ refusal: LogRefusal) -> [News] {
        switch order {
        case .append(let ticket, _, _): [.appended(LogOutcome(ticket: ticket, refusal: refusal))]
        case .begin: []
        case .store(let name, _): [.stored(name, failure: refusal.description)]
        }
    }
}
