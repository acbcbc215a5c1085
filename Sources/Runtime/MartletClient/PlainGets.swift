import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// The fast path of plain gets (docs/decisions/0047): batches of gets that share a message, from
/// the first key to the results. Cases that it cannot finish go to the general path. Lives on the
/// loop's thread.
final class PlainGets {
    private let loop: ClientLoop
    private let timer: DueTimer
    private var spareBatches: [GetBatch] = []
    /// Tickets of the gets that were cancelled in this turn.
    private var cancelled = Set<UInt64>()
    /// The position that the session demands, as of that session change.
    private var demand: (change: UInt64, position: LogPosition?) = (0, nil)
    /// Whether a message is full and may be sent between two jobs.
    var hasFullBatch = false
    private(set) var openCount = 0

    init(_ loop: ClientLoop, _ timer: DueTimer) {
        self.loop = loop
        self.timer = timer
    }

    // MARK: Filling

    /// Adds a get to a message at its connection.
    ///
    /// - Returns: `false` without a topology, or if there are too many messages.
    func append(
        _ get: SingleGet, at connection: ShardConnection, _ view: MessageSender.View,
        at turn: Instant
    ) -> Bool {
        guard let batch = batch(for: get, at: connection, view, at: turn) else { return false }
        batch.append(get)
        openCount += 1
        guard batch.draft.isFull else { return true }
        connection.getDrafts.removeAll { $0 === batch }
        connection.fullGets.append(batch)
        hasFullBatch = true
        return true
    }

    /// The message for the get, begun if there is none.
    private func batch(
        for get: SingleGet, at connection: ShardConnection, _ view: MessageSender.View,
        at turn: Instant
    ) -> GetBatch? {
        guard let version = view.version else { return nil }
        let atLeast = demandNow
        for batch in connection.getDrafts
        where batch.draft.takes(get.namespace, atLeast, topologyVersion: version) {
            return batch
        }
        guard connection.getDrafts.count < ClientLimits.getDraftsMax else { return nil }
        let batch = spareBatches.popLast() ?? GetBatch()
        batch.begin(
            GetDraft.Head(
                get.namespace, atLeast: atLeast, topologyVersion: version,
                cluster: view.cluster),
            at: turn)
        connection.getDrafts.append(batch)
        return batch
    }

    private var demandNow: LogPosition? {
        let change = loop.sessionChange
        if demand.change != change { demand = (change, loop.demand(nil)) }
        return demand.position
    }

    // MARK: Sending

    /// Sends the messages that may go now. If the socket is full, all messages that wait there go
    /// to the general path.
    func flush(
        _ connection: ShardConnection, by sender: MessageSender, at now: Instant
    ) throws(ZeroMQError) {
        while let batch = connection.takeNextGets(at: now) {
            guard isWaitedFor(batch, at: connection, now) else {
                recycle(batch)
                continue
            }
            guard try sender.send(batch, over: connection, at: now) else {
                giveBack(batch, at: connection, now)
                giveBackAll(of: connection, at: now)
                return
            }
        }
        for batch in connection.fullGets { timer.lower(to: batch.deadline) }
        for batch in connection.getDrafts { timer.lower(to: batch.deadline) }
    }

    // MARK: Answers

    /// Settles the gets of a message by its results.
    ///
    /// - Returns: whether a shard had not reached the demanded position.
    func settle(
        _ batch: GetBatch, by results: inout ResultReader, at now: Instant
    ) throws(WireRefusal) -> Bool {
        var isBehind = false
        for index in batch.waiting.indices {
            let (ending, reason) = try ending(of: batch.waiting[index], by: &results, at: now)
            isBehind = isBehind || reason == .behind
            settle(batch, index, ending)
        }
        return isBehind
    }

    /// The outcome that a result means for the get that waits for it, and why it may be retried.
    private func ending(
        of waiting: GetBatch.Waiting, by results: inout ResultReader, at now: Instant
    ) throws(WireRefusal) -> (ReadEnding, RetrySchedule.Failure?) {
        let result = try results.next()
        if result.fields.isEmpty {
            switch result.status {
            case .hit, .stale:
                return (.found(CachedValue(result, results.proof, results.node)), nil)
            case .miss, nil: return (.missing, nil)
            default: break
            }
        }
        let answer = try OperationAnswer(result, proof: results.proof, node: results.node)
        switch answer.status {
        case .hit, .stale:
            return (
                answer.fields.whole == nil ? .found(CachedValue(answer)) : .firstPart(answer), nil
            )
        case .miss, nil: return (.missing, nil)
        default: break
        }
        let failure = answer.retryReason
        var schedule = waiting.schedule
        guard let failure, case .again(let due) = schedule.failed(failure, at: now) else {
            return (.failed(CacheError(answer)), failure)
        }
        return (.again(FailedAttempt(schedule: schedule, due: due, answer: answer)), failure)
    }

    func refuse(
        _ batch: GetBatch, _ error: CacheError, _ retryAfter: Duration?, by node: NodeIndex?,
        at now: Instant
    ) {
        let isShared = batch.waiting.count > 1
        for (index, waiting) in batch.waiting.enumerated() {
            var schedule = waiting.schedule
            if error.code == .unauthorised, isShared {
                // One key exceeded the permissions: each get is retried by itself.
                var attempt = FailedAttempt(schedule: schedule, due: now)
                attempt.isAlone = true
                settle(batch, index, .again(attempt))
            } else if error.isPassing,
                case .again(let due) = schedule.failed(.busy(retryAfter: retryAfter), at: now)
            {
                let avoided = error.isOtherCluster ? node : nil
                settle(
                    batch, index,
                    .again(FailedAttempt(schedule: schedule, due: due, avoided: avoided)))
            } else {
                settle(batch, index, .failed(error))
            }
        }
    }

    func silent(_ batch: GetBatch, _ connection: ShardConnection, at now: Instant) {
        for (index, waiting) in batch.waiting.enumerated() {
            var schedule = waiting.schedule
            if case .again(let due) = schedule.failed(.silent, at: now) {
                let attempt = FailedAttempt(
                    schedule: schedule, due: due, avoided: connection.node)
                settle(batch, index, .again(attempt))
            } else {
                settle(
                    batch, index,
                    .failed(.silence(of: connection.name, mayHaveHappened: false)))
            }
        }
        recycle(batch)
    }

    // MARK: Settling

    func giveBackAll(of connection: ShardConnection, at now: Instant) {
        for batch in connection.takeGets() { giveBack(batch, at: connection, now) }
    }

    private func giveBack(_ batch: GetBatch, at connection: ShardConnection, _ now: Instant) {
        if isWaitedFor(batch, at: connection, now) { settleAll(of: batch, .untried) }
        recycle(batch)
    }

    /// Ends the unsent gets that are past their own deadline. The others go on waiting: a slow
    /// shard is not sent more messages.
    func sweep(_ connection: ShardConnection, at now: Instant) {
        let isOver = { [self] (batch: GetBatch) -> Bool in
            guard !isWaitedFor(batch, at: connection, now) else {
                timer.lower(to: batch.deadline)
                return false
            }
            recycle(batch)
            return true
        }
        connection.fullGets.removeAll(where: isOver)
        connection.getDrafts.removeAll(where: isOver)
    }

    /// Fails those gets of an unsent message that are past their deadline.
    ///
    /// - Returns: whether a caller still waits for one of the other gets.
    private func isWaitedFor(
        _ batch: GetBatch, at connection: ShardConnection, _ now: Instant
    ) -> Bool {
        if batch.isWhole, batch.deadline > now { return true }
        for (index, waiting) in batch.waiting.enumerated() where waiting.deadline <= now {
            settle(
                batch, index,
                .failed(
                    CacheError(
                        .timedOut,
                        "\(connection.name) had not answered earlier gets in time; this one was "
                            + "not sent")))
        }
        batch.renewDeadline()
        return batch.openCount > 0
    }

    func settleAll(of batch: GetBatch, _ ending: ReadEnding) {
        for index in batch.waiting.indices { settle(batch, index, ending) }
    }

    private func settle(_ batch: GetBatch, _ index: Int, _ ending: ReadEnding) {
        guard let caller = batch.take(index) else { return }
        openCount -= 1
        SanitizerOrder.release(loop)
        caller.resume(returning: ending)
    }

    /// The caller of a get has cancelled it.
    func cancel(ticket: UInt64) { cancelled.insert(ticket) }

    /// Ends the gets that their callers cancelled. A get that is not found has ended or has not
    /// arrived yet. In the second case its caller sends the cancellation once more.
    func settleCancelled(at connections: [ShardConnection], in sender: MessageSender) {
        guard !cancelled.isEmpty else { return }
        sender.forEach { _, sent in
            if case .gets(let batch) = sent.content { cancel(in: batch) }
        }
        for connection in connections {
            for batch in connection.fullGets + connection.getDrafts { cancel(in: batch) }
        }
        cancelled.empty()
    }

    private func cancel(in batch: GetBatch) {
        for (index, waiting) in batch.waiting.enumerated() where cancelled.contains(waiting.ticket)
        {
            settle(batch, index, .failed(.cancelled(mayHaveHappened: false)))
        }
    }

    /// Keeps a batch for the next message, unless long keys have made it large.
    func recycle(_ batch: GetBatch) {
        guard spareBatches.count < ClientLimits.getMessagesMax,
            batch.draft.capacityBytes <= ClientLimits.getDraftBytesKept
        else { return }
        spareBatches.append(batch)
    }
}

extension GetBatch.Waiting {
    fileprivate var schedule: RetrySchedule {
        RetrySchedule(.read, deadline: deadline, seed: ticket)
    }
}
