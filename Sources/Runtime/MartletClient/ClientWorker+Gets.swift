import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// The fast path of a plain get: docs/decisions/0047. It passes all other cases to the general
/// path.
extension ClientWorker {
    /// Accepts a get: its key goes into a message to its shard.
    func accept(_ get: SingleGet) {
        guard pendingCount < ClientLimits.operationsPendingMax else {
            get.caller.resume(
                returning: .failed(
                    CacheError(.busy, "too many operations are open in this client; slow down")))
            return
        }
        guard let connection = connection(for: get), !connection.isDown,
            connection.blockedSince == nil, connection.watch.takesRequests,
            let batch = draft(for: get, at: connection)
        else {
            get.caller.resume(returning: .untried)
            return
        }
        batch.append(get)
        pendingCount += 1
        guard batch.draft.isFull else { return }
        connection.getDrafts.removeAll { $0 === batch }
        connection.fullGets.append(batch)
        hasFullBatch = true
    }

    /// The connection to the get's shard; `nil` without a topology, or if it was never opened.
    private func connection(for get: SingleGet) -> ShardConnection? {
        if shardConnections.count == 1 { return shardConnections[0] }
        guard let topology else { return nil }
        let route = RouteHash(of: get.key.bytes, in: get.namespace)
        let slot: SlotIndex?
        if topology.kind == .sharded {
            slot = topology.owner(of: route)
        } else {
            if nearForTurn == nil { nearForTurn = nearNode(in: topology, avoiding: nil) }
            slot = nearForTurn.flatMap { topology.shard(of: route, on: $0) }
        }
        return slot.flatMap { shardConnections[$0.rawValue] }
    }

    /// The message for the get, begun if there is none; `nil` if there are too many messages.
    private func draft(for get: SingleGet, at connection: ShardConnection) -> GetBatch? {
        guard let topology else { return nil }
        let version = topology.version
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
                cluster: topology.cluster),
            at: turnBegan)
        connection.getDrafts.append(batch)
        return batch
    }

    /// The position that the session demands of a read that begins now.
    private var demandNow: LogPosition? {
        let change = loop.sessionChange
        if demand.change != change {
            demand.position = loop.demand(nil)
            demand.change = change
        }
        return demand.position
    }

    // MARK: Sending

    /// Sends the messages that may go, at connections with a full message.
    func flushFullBatches() throws(ZeroMQError) {
        hasFullBatch = false
        let now = MonotonicClock.now
        for connection in connections where !connection.fullGets.isEmpty {
            try flushGets(connection, at: now)
        }
    }

    /// Sends the messages of plain gets that may go now. If the socket is full, all messages that
    /// wait there go to the general path.
    func flushGets(_ connection: ShardConnection, at now: Instant) throws(ZeroMQError) {
        while let batch = connection.takeNextGets(at: now) {
            guard isWaitedFor(batch, at: connection, now) else {
                recycle(batch)
                continue
            }
            guard try send(batch, over: connection, at: now) else {
                giveBack(batch, at: connection, now)
                giveBackGets(of: connection, at: now)
                return
            }
        }
        for batch in connection.fullGets { nextDue = min(nextDue, batch.deadline) }
        for batch in connection.getDrafts { nextDue = min(nextDue, batch.deadline) }
    }

    /// - Returns: `false` if the socket is full; nothing is registered then.
    private func send(
        _ batch: GetBatch, over connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        let expiry = batch.draft.attemptEnd(from: now)
        let sent = Sent(content: .gets(batch), connection: connection, sentAt: now, expiry: expiry)
        guard let id = inFlight.open(sent) else { return false }
        let bytes = batch.draft.finish(requestID: id, at: now)
        guard try connection.socket.send(bytes, more: false) == .sent else {
            _ = inFlight.close(id)
            connection.wasBlocked(at: now)
            nextDue = min(nextDue, connection.patienceEnd ?? Self.never)
            return false
        }
        noteSent(over: connection, at: now)
        connection.window.sent()
        nextDue = min(nextDue, expiry)
        return true
    }

    // MARK: Settling

    /// Returns unsent gets to the general path.
    func giveBackGets(of connection: ShardConnection, at now: Instant) {
        for batch in connection.takeGets() { giveBack(batch, at: connection, now) }
    }

    private func giveBack(_ batch: GetBatch, at connection: ShardConnection, _ now: Instant) {
        if isWaitedFor(batch, at: connection, now) { settleAll(of: batch, .untried) }
        recycle(batch)
    }

    /// Ends the unsent gets that are past their own deadline. The others go on waiting: a slow
    /// shard is not sent more messages.
    func sweepGets(_ connection: ShardConnection, at now: Instant) {
        let isOver = { [self] (batch: GetBatch) -> Bool in
            guard !isWaitedFor(batch, at: connection, now) else {
                nextDue = min(nextDue, batch.deadline)
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
            settle(batch, index, .failed(Self.noRoom(peerName(connection))))
        }
        batch.renewDeadline()
        return batch.openCount > 0
    }

    private static func noRoom(_ peerName: String) -> CacheError {
        CacheError(
            .timedOut, "\(peerName) had not answered earlier gets in time; this one was not sent")
    }

    func settleAll(of batch: GetBatch, _ ending: ReadEnding) {
        for index in batch.waiting.indices { settle(batch, index, ending) }
    }

    func settle(_ batch: GetBatch, _ index: Int, _ ending: ReadEnding) {
        guard let caller = batch.take(index) else { return }
        pendingCount -= 1
        SanitizerOrder.release(loop)
        caller.resume(returning: ending)
    }

    /// Ends the gets that their callers cancelled. A get that is not found has ended or has not
    /// arrived yet. In the second case its caller sends the cancellation once more.
    func settleCancelledGets() {
        guard !cancelledGets.isEmpty else { return }
        let error = Self.cancelled(false)
        inFlight.forEach { _, sent in
            if case .gets(let batch) = sent.content { cancel(in: batch, error) }
        }
        for connection in connections {
            for batch in connection.fullGets + connection.getDrafts { cancel(in: batch, error) }
        }
        cancelledGets.empty()
    }

    private func cancel(in batch: GetBatch, _ error: CacheError) {
        for (index, waiting) in batch.waiting.enumerated()
        where cancelledGets.contains(waiting.ticket) {
            settle(batch, index, .failed(error))
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
