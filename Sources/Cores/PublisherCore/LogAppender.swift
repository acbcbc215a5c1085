import CacheInvalidation
import CacheModel
import CacheWire

/// Queues invalidations and appends all of them to the log at once, once per turn.
///
/// A slow log finishes an append later. Until then its records are sent to no node, and later
/// invalidations wait for the next append.
struct LogAppender {
    /// An append that the log has not finished.
    struct Appending {
        let ticket: LogTicket
        let batch: [SealedRecord]
        let placed: [PlacedRequest]
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
    /// Whether this publisher has written to the log.
    private(set) var hasAppended = false

    /// Number of requests that are not in the log yet.
    var count: Int { queue.count + (underWay?.placed.count ?? 0) }

    /// Whether an append is under way.
    var isAppending: Bool { underWay != nil }

    func hasRoom(forBytes bytes: Int) -> Bool {
        queuedBytes + bytes <= PublisherLimits.queuedBytesMax
    }

    mutating func insert(_ request: QueuedRequest) {
        queuedBytes += request.bytes
        queue.append(request)
    }

    /// Refuses the requests that waited for their append until their deadline.
    mutating func dropOverdue(
        now: Instant, _ sentence: String, shares: inout WaitShares, output: inout PublisherOutput
    ) {
        guard queue.contains(where: { $0.deadline <= now }) else { return }
        var kept: [QueuedRequest] = []
        for queued in queue {
            guard queued.deadline <= now else {
                kept.append(queued)
                continue
            }
            queuedBytes -= queued.bytes
            guard let requester = queued.requester else { continue }
            shares.leave(requester.principal, queued.bytes)
            output.refuse(requester, .busy, sentence)
        }
        queue = kept
    }

    // MARK: Appending

    /// Appends all queued requests at once. No append is under way.
    ///
    /// - Parameter holders: the grants for the waits of a slow append; `nil`: those when it ends.
    mutating func append(
        to log: inout some InvalidationLog, guards: Guards, holders: GrantTable?,
        shares: inout WaitShares, output: inout PublisherOutput
    ) -> Outcome {
        let requests = queue
        (queue, queuedBytes) = ([], 0)
        for request in requests {
            guard let requester = request.requester else { continue }
            shares.handOver(requester.principal, request.bytes)
        }
        let (batch, placed) = seal(
            requests, after: log.head, guards: guards, shares: &shares, output: &output)
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
                let record = InvalidationRecord(
                    position: head.position.next, previousDigest: head.digest,
                    operation: request.operation, strength: request.strength,
                    scopes: request.scopes)
                let sealed = try SealedRecord(sealing: record)
                batch.append(sealed)
                placed.append(PlacedRequest(queued: queued, position: sealed.position))
                head = sealed.mark
                if request.operation != .none { inBatch[operation] = sealed.position }
            } catch {
                // Echoes and slices always get a number.
                guard let requester = queued.requester else { continue }
                shares.leave(requester.principal)
                output.refuse(requester, error.code, error.sentence)
            }
        }
        return (batch, placed)
    }

    /// The records are in the log: later repetitions of their operations get their positions.
    mutating func remember(_ batch: [SealedRecord]) {
        hasAppended = true
        for sealed in batch {
            operations.remember(OperationImprint(sealed.record), at: sealed.position)
        }
    }

    // MARK: Starting anew, and the end

    /// A new epoch superseded the append that was under way. Its records were sent to no node, so
    /// its requests are queued again, before the others.
    mutating func requeueUnderWay(shares: inout WaitShares) {
        guard let abandoned = underWay else { return }
        underWay = nil
        for queued in abandoned.placed.lazy.map(\.queued) {
            guard let requester = queued.requester else { continue }
            shares.takeBack(requester.principal, queued.bytes)
        }
        queue = abandoned.placed.map(\.queued) + queue
        queuedBytes = queue.reduce(0) { $0 + $1.bytes }
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
            guard let requester = queued.requester else { continue }
            shares.leave(requester.principal, queued.bytes)
            output.refuse(requester, .busy, Self.stoppingSentence)
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

    /// A client that receives this refusal retries; by then the next publisher may run.
    static var stoppingSentence: String {
        "the publisher is stopping; nothing was invalidated, try again"
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
