import CacheInvalidation
import CacheModel
import CacheWire
import DequeModule

/// Queues invalidations and appends all of them to the log at once, once per turn.
///
/// A slow log finishes an append later. Until then its records are sent to no node, and later
/// invalidations wait for the next append.
struct LogAppender {
    /// An append that the log has not finished.
    struct Appending {
        let ticket: LogTicket
        let batch: [SealedRecord]
        var placed: [PlacedRequest]
        /// The grants when the append began, if its waits do not use those when it ended.
        let holders: GrantTable?
    }

    /// The outcome of an append.
    enum Outcome {
        /// Every request was executed before, or refused.
        case nothingNew([PlacedRequest])
        /// The records are in the log.
        case done([SealedRecord], [PlacedRequest])
        /// The log reports the end later.
        case underWay([SealedRecord])
        case refused([PlacedRequest], LogRefusal)
    }

    private(set) var queue: [QueuedRequest] = []
    private var queuedBytes = 0
    private var underWay: Appending?
    /// The positions of executed operations.
    private var operations = OperationMemory()
    /// Bounds the operations whose ids have to be remembered; `nil`: not bounded by time.
    private var budget: OperationBudget?
    /// Operations that may be in a log that several publishers lead, though no append of them is
    /// under way and none has ended well: what is said of their repetitions must not deny that.
    private var doubtful: Set<OperationID> = []
    /// Whether this publisher has written to the log.
    private(set) var hasAppended = false

    /// Number of requests that are not in the log yet.
    var count: Int { queue.count + (underWay?.placed.count ?? 0) }

    /// Whether an append is under way.
    var isAppending: Bool { underWay != nil }

    func hasRoom(forBytes bytes: Int) -> Bool {
        queuedBytes + bytes <= PublisherLimits.queuedBytesMax
    }

    /// Whether the id of one more operation can be remembered for long enough.
    func hasRoom(for operation: OperationID, now: Instant) -> Bool {
        operation == .none || budget?.hasRoom(at: now) ?? true
    }

    mutating func insert(_ request: QueuedRequest) {
        queuedBytes += request.bytes
        queue.append(request)
    }

    /// Refuses the requests that waited for their append until their deadline.
    ///
    /// - Parameter isShared: whether several publishers lead the log.
    mutating func dropOverdue(
        now: Instant, _ sentence: String, isShared: Bool, shares: inout WaitShares,
        output: inout PublisherOutput
    ) {
        guard queue.contains(where: { $0.deadline <= now }) else { return }
        if isShared { noteBegun() }
        var kept: [QueuedRequest] = []
        for queued in queue {
            guard queued.deadline <= now else {
                kept.append(queued)
                continue
            }
            queuedBytes -= queued.bytes
            refuse(queued, sentence, shares: &shares, output: &output)
        }
        queue = kept
    }

    /// Notes which requests repeat one that is, or may be, in the log: what is said of them is said
    /// of their operation.
    private mutating func noteBegun() {
        let uncertain = queue.filter(\.isUncertain) + (underWay?.placed.map(\.queued) ?? [])
        let begun = Set(uncertain.map(\.request.operation).filter { $0 != .none })
        for index in queue.indices where queue[index].request.operation != .none {
            let request = queue[index].request
            let imprint = OperationImprint(request.operation, request.strength, request.scopes)
            if begun.contains(request.operation) || isDoubtful(request.operation)
                || operations.position(of: imprint) != nil
            {
                queue[index].isUncertain = true
            }
        }
    }

    /// Whether the operation may be in the log, by what became of earlier requests for it.
    func isDoubtful(_ operation: OperationID) -> Bool {
        operation != .none
            && (doubtful.contains(operation) || doubtful.count >= PublisherLimits.doubtfulMax)
    }

    /// A request for the operation ended, and the operation may be in the log.
    mutating func doubt(_ operation: OperationID) {
        guard operation != .none, doubtful.count < PublisherLimits.doubtfulMax else { return }
        doubtful.insert(operation)
    }

    private mutating func refuse(
        _ queued: QueuedRequest, _ sentence: String, shares: inout WaitShares,
        output: inout PublisherOutput
    ) {
        guard let requester = queued.requester else { return }
        shares.leave(requester.principal, queued.bytes)
        guard !queued.isUncertain else {
            doubt(queued.request.operation)
            return output.refuse(requester, .unavailable, Self.uncertainSentence)
        }
        output.refuse(requester, .busy, sentence)
    }

    /// Answers the clients whose deadline passes while the log does not answer: the outcome may
    /// take as long as the store is away.
    mutating func answerOverdue(
        now: Instant, shares: inout WaitShares, output: inout PublisherOutput
    ) {
        guard var pending = underWay else { return }
        for (index, one) in pending.placed.enumerated() where one.queued.deadline <= now {
            guard let requester = one.queued.requester else { continue }
            shares.leave(requester.principal)
            output.refuse(requester, .unavailable, Self.uncertainSentence)
            pending.placed[index].queued.origin = .answered(requester)
        }
        underWay = pending
    }

    /// When the next client's deadline passes, of those whose append is under way.
    var nextOverdue: Instant? {
        underWay?.placed.lazy.filter { $0.queued.requester != nil }.map(\.queued.deadline).min()
    }

    // MARK: Appending

    /// Appends all queued requests at once. No append is under way.
    ///
    /// - Parameter holders: the grants for the waits of a slow append; `nil`: those when it ends.
    mutating func append(
        to log: inout some InvalidationLog, guards: Guards, holders: GrantTable?,
        shares: inout WaitShares, output: inout PublisherOutput
    ) -> Outcome {
        let next = takeNext(bytesMax: log.appendBytesMax, shares: &shares)
        let (batch, placed) = seal(
            next, after: log.head, guards: guards, shares: &shares, output: &output)
        guard !batch.isEmpty else { return .nothingNew(placed) }
        do throws(LogRefusal) {
            switch try log.append(batch, expecting: log.head) {
            case .done: return .done(batch, placed)
            case .underWay(let ticket):
                underWay = Appending(
                    ticket: ticket, batch: batch, placed: placed, holders: holders)
                return .underWay(batch)
            }
        } catch {
            return .refused(placed, error)
        }
    }

    /// Removes the requests of the next append from the queue: all of them, or as many as fit.
    private mutating func takeNext(
        bytesMax: Int, shares: inout WaitShares
    ) -> [QueuedRequest] {
        var (count, bytes) = (0, 0)
        for request in queue {
            // A record is not longer than its message; that of a request without one is unknown.
            bytes += request.bytes > 0 ? request.bytes + 64 : InvalidationRecord.bytesMax
            guard count == 0 || bytes <= bytesMax else { break }
            count += 1
        }
        let next = Array(queue.prefix(count))
        queue.removeFirst(count)
        for request in next {
            queuedBytes -= request.bytes
            guard let requester = request.requester else { continue }
            shares.handOver(requester.principal, request.bytes)
        }
        return next
    }

    /// The log has finished an append.
    ///
    /// - Returns: `nil` for an append that a new epoch superseded: its requests were numbered anew.
    mutating func takeFinished(_ ticket: LogTicket) -> Appending? {
        guard let ended = underWay, ended.ticket == ticket else { return nil }
        underWay = nil
        return ended
    }

    /// Numbers and encodes each request that was not executed before. A request that cannot be
    /// encoded is refused and gets no number.
    private func seal(
        _ requests: [QueuedRequest], after mark: LogMark, guards: Guards,
        shares: inout WaitShares, output: inout PublisherOutput
    ) -> ([SealedRecord], [PlacedRequest]) {
        var head = mark
        var batch: [SealedRecord] = []
        var placed: [PlacedRequest] = []
        var inBatch: [OperationImprint: LogPosition] = [:]
        for queued in requests {
            let request = queued.request
            let operation = OperationImprint(request.operation, request.strength, request.scopes)
            if let known = operations.position(of: operation) ?? inBatch[operation],
                guards.isOn(.operationMemory)
            {
                output.statistics.repetitions += 1
                placed.append(PlacedRequest(queued: queued, position: known))
                continue
            }
            do throws(WireRefusal) {
                guard head.position.sequence < .max else { throw .numbersUsedUp }
                let sealed = try SealedRecord(sealing: queued.record(after: head))
                batch.append(sealed)
                placed.append(PlacedRequest(queued: queued, position: sealed.position))
                head = sealed.mark
                if request.operation != .none { inBatch[operation] = sealed.position }
            } catch {
                // Echoes, slices and records of slots always get a number.
                guard let requester = queued.requester else { continue }
                shares.leave(requester.principal)
                output.refuse(requester, error.code, error.sentence)
            }
        }
        return (batch, placed)
    }

    /// The records are in the log: later repetitions of their operations get their positions.
    mutating func remember(_ batch: [SealedRecord], now: Instant) {
        hasAppended = true
        budget?.note(batch.count { $0.record.operation != .none }, at: now)
        for sealed in batch {
            operations.remember(OperationImprint(sealed.record), at: sealed.position)
            if !doubtful.isEmpty { doubtful.remove(sealed.record.operation) }
        }
    }

    // MARK: Starting anew, and the end

    /// A new epoch superseded the append that was under way. Its records were sent to no node, so
    /// its requests are queued again, before the others; but not those that are of their epoch.
    ///
    /// - Parameter isUncertain: whether the log may have them all the same.
    mutating func requeueUnderWay(isUncertain: Bool, shares: inout WaitShares) {
        queue.removeAll(where: \.isOfItsEpoch)
        guard let abandoned = underWay else { return }
        underWay = nil
        var again: [QueuedRequest] = []
        for var queued in abandoned.placed.lazy.map(\.queued) {
            if isUncertain { doubt(queued.request.operation) }
            if case .answered = queued.origin { continue }
            if queued.isOfItsEpoch { continue }
            queued.isUncertain = queued.isUncertain || isUncertain
            again.append(queued)
            guard let requester = queued.requester else { continue }
            shares.takeBack(requester.principal, queued.bytes)
        }
        queue = again + queue
        queuedBytes = queue.reduce(0) { $0 + $1.bytes }
    }

    /// Continues with the operations that an earlier leader of the log did.
    mutating func recall(_ operations: OperationMemory, now: Instant) {
        self.operations = operations
        budget = OperationBudget(recalled: operations.count, now: now)
    }

    /// Restores the operation ids of the log's newest records, so that an operation repeated across
    /// a restart is answered with its first position.
    mutating func recallOperations(of log: some InvalidationLog) {
        guard log.hasHistory else { return }
        let head = log.head.position.sequence
        let recalled = UInt64(InvalidationLimits.operationsRecalledMax)
        let oldest = head.rawValue > recalled ? head.rawValue - recalled : 0
        var after = SequenceNumber(max(oldest, log.tail.rawValue - 1))
        while after < head {
            guard let records = log.read(after: after, limit: WireLimits.replayRecordsMax),
                let last = records.last
            else {
                // If records were found damaged, the newer ones are still there.
                let oldest = SequenceNumber(log.tail.rawValue - 1)
                guard oldest > after else { return }
                after = oldest
                continue
            }
            for sealed in records {
                operations.remember(OperationImprint(sealed.record), at: sealed.position)
            }
            after = last.position.sequence
        }
    }

    /// Refuses each request that is not in the log. An append that is under way may succeed.
    mutating func stop(shares: inout WaitShares, output: inout PublisherOutput) {
        for queued in queue {
            refuse(queued, Self.stoppingSentence, shares: &shares, output: &output)
        }
        (queue, queuedBytes) = ([], 0)
        for unknown in underWay?.placed ?? [] {
            let sentence =
                "the publisher is stopping and its log has not answered; what was asked may have "
                + "been invalidated"
            guard let requester = unknown.queued.requester else { continue }
            shares.leave(requester.principal)
            output.refuse(requester, .unavailable, sentence)
        }
        underWay = nil
    }

    /// Another publisher will lead: forgets all requests.
    ///
    /// - Returns: the clients that wait, and whether the request of each may be in the log.
    mutating func handOver() -> [(requester: Requester, mayHaveHappened: Bool)] {
        noteBegun()
        let queued = queue.map { ($0, $0.isUncertain) }
        let pending = (underWay?.placed ?? []).map { ($0.queued, true) }
        (queue, queuedBytes, underWay) = ([], 0, nil)
        return (queued + pending).compactMap { request, mayHaveHappened in
            request.requester.map { ($0, mayHaveHappened) }
        }
    }

    /// A client that receives this refusal retries; by then the next publisher may run.
    static var stoppingSentence: String {
        "the publisher is stopping; nothing was invalidated, try again"
    }

    static var uncertainSentence: String {
        "the log has not answered; what was asked may have been invalidated. Repeat it with the "
            + "same operation id"
    }
}

/// Bounds how many operations are done within
/// ``CacheInvalidation/InvalidationLimits/operationWindow``, so that the ids of all of them are
/// remembered: a client may repeat one for so long.
struct OperationBudget {
    /// Of the last seconds, the newest last.
    private var counts: Deque<(end: Instant, count: Int)> = []
    private var total = 0

    /// - Parameter recalled: operations of earlier leaders. When each was done is not known: they
    ///   count as spread over the window.
    init(recalled: Int, now: Instant) {
        let seconds = Int(InvalidationLimits.operationWindow.components.seconds)
        for second in 1...seconds {
            note(recalled / seconds, at: now, for: .seconds(second))
        }
    }

    func hasRoom(at now: Instant) -> Bool {
        let over = counts.lazy.prefix { $0.end <= now }.reduce(0) { $0 + $1.count }
        return total - over < InvalidationLimits.sharedOperationsMax
    }

    mutating func note(_ count: Int, at now: Instant) {
        note(count, at: now, for: InvalidationLimits.operationWindow)
    }

    private mutating func note(_ count: Int, at now: Instant, for window: Duration) {
        while let first = counts.first, first.end <= now {
            total -= first.count
            counts.removeFirst()
        }
        total += count
        let end = now.advanced(by: window)
        if let last = counts.last, end < last.end.advanced(by: .seconds(1)) {
            counts[counts.count - 1].count += count
            // Later, never earlier, than they may be forgotten.
            counts[counts.count - 1].end = max(end, last.end)
        } else {
            counts.append((end, count))
        }
    }
}

extension WireRefusal {
    fileprivate static var numbersUsedUp: Self {
        Self(
            .unavailable,
            """
            the log has used up its numbers; nothing was invalidated. Begin one in another \
            directory
            """)
    }
}
