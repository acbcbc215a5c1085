import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

extension ClientWorker {
    /// Sends the queued messages of a connection, until its socket is full. Then plain gets that
    /// wait in messages of their own return to the general path.
    func flush(_ connection: ShardConnection, at now: Instant) throws(ZeroMQError) {
        if try flushQueued(connection, at: now) {
            try flushGets(connection, at: now)
        } else {
            giveBackGets(of: connection, at: now)
        }
    }

    /// - Returns: whether all of it was sent.
    private func flushQueued(
        _ connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        if connection.blockedSince != nil, try !connection.socket.isWritable { return false }
        if connection.isAskedForTopology {
            guard try sendTopologyQuestion(connection, at: now) else { return false }
            connection.isAskedForTopology = false
        }
        if connection.isToBeProbed {
            guard try sendProbe(connection, at: now) else { return false }
            connection.isToBeProbed = false
        }
        guard connection.watch.takesRequests else { return false }
        while let request = connection.questions.first {
            if !request.isSettled {
                guard try send(request, over: connection, at: now) else { return false }
            }
            connection.questions.removeFirst()
        }
        while !connection.groups.isEmpty {
            guard try flushFirstGroup(connection, at: now) else { return false }
            connection.groups.removeFirst()
        }
        return true
    }

    private func sendTopologyQuestion(
        _ connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        writer.removeAll()
        let message = MessageWriter(.topology, requestID: 0, into: &writer)
        message.finish(&writer, count: 0)
        let expiry = now.advanced(by: ClientLimits.topologyAttemptTimeout)
        return try send(
            Sent(content: .topology, connection: connection, sentAt: now, expiry: expiry))
    }

    /// Sends a request that any shard answers at once, whatever it does. The contents of the answer
    /// are ignored: a node that has just come back may have an old topology.
    private func sendProbe(
        _ connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        writer.removeAll()
        MessageWriter(.topology, requestID: 0, into: &writer).finish(&writer, count: 0)
        let expiry = now.advanced(by: ClientLimits.attemptTimeout)
        return try send(
            Sent(content: .probe, connection: connection, sentAt: now, expiry: expiry))
    }

    private func send(
        _ request: AdminRequest, over connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        writer.removeAll()
        MessageWriter.append(request.message, from: topology?.cluster ?? .none, to: &writer)
        request.session = loop.sessionNumber
        let expiry = request.schedule.attemptEnd(from: now)
        return try send(
            Sent(
                content: .question(request), connection: connection, sentAt: now, expiry: expiry))
    }

    /// - Returns: whether all of the group was sent.
    private func flushFirstGroup(
        _ connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        let envelope = connection.groups[0].envelope
        while connection.groups[0].sentCount < connection.groups[0].waiting.count {
            let (references, end) = nextMessage(of: connection.groups[0])
            guard !references.isEmpty else {
                connection.groups[0].sentCount = end
                continue
            }
            let expiry = write(references, envelope, at: now)
            let sent = Sent(
                content: .operations(references), connection: connection, sentAt: now,
                expiry: expiry)
            guard try send(sent) else { return false }
            for reference in references {
                reference.request.wasSent(to: connection.nodeID, reference.index)
            }
            connection.groups[0].sentCount = end
        }
        return true
    }

    /// The operations that share the next message, and where the rest begins.
    private func nextMessage(
        of group: ShardConnection.Group
    ) -> (references: [OperationReference], end: Int) {
        let countMax = group.envelope.operationsPerMessageMax
        var references: [OperationReference] = []
        var (requestBytes, replyBytes) = (0, 0)
        var cursor = group.sentCount
        while cursor < group.waiting.count, references.count < countMax {
            let reference = group.waiting[cursor]
            if !reference.isSettled {
                if reference.isAlone, !references.isEmpty { break }
                requestBytes += reference.operation.body.count
                replyBytes += reference.operation.replyBytes
                let fits = max(requestBytes, replyBytes) <= ClientLimits.bodyBytesMax
                guard fits || references.isEmpty else { break }
                references.append(reference)
            }
            cursor += 1
            if !reference.isSettled, reference.isAlone { break }
        }
        return (references, cursor)
    }

    /// Writes the message for these operations.
    ///
    /// - Returns: until when it may stay unanswered.
    private func write(
        _ references: [OperationReference], _ envelope: Envelope, at now: Instant
    ) -> Instant {
        var expiry = Self.never
        for reference in references {
            let schedule = reference.request.progress[reference.index].schedule
            expiry = min(expiry, schedule.attemptEnd(from: now))
        }
        writer.removeAll()
        var message = MessageWriter(envelope.type, requestID: 0, into: &writer)
        message.field(envelope.namespace, into: &writer)
        let cluster = topology?.cluster ?? .none
        if let position = envelope.atLeast, !envelope.sessionCluster.contradicts(cluster) {
            message.field(MessageFields.ID.atLeast, position, into: &writer)
        }
        if envelope.isFresh {
            message.field(
                MessageFields.ID.fresh, UnsafeRawBufferPointer(start: nil, count: 0),
                into: &writer)
        }
        if let policy = envelope.policy { message.field(policy, into: &writer) }
        if let age = envelope.maxAgeMilliseconds {
            message.field(MessageFields.ID.maxAge, age, into: &writer)
        }
        if let stale = envelope.maxStaleMilliseconds {
            message.field(MessageFields.ID.maxStale, stale, into: &writer)
        }
        message.field(
            MessageFields.ID.deadline,
            RetrySchedule.keepingMilliseconds(patience: expiry.elapsed(since: now)),
            into: &writer)
        if let topology {
            message.field(MessageFields.ID.topology, topology.version, into: &writer)
        }
        message.field(envelope.trace, into: &writer)
        if envelope.isAgain {
            message.field(
                MessageFields.ID.again, UnsafeRawBufferPointer(start: nil, count: 0),
                into: &writer)
        }
        message.field(cluster, into: &writer)
        for reference in references {
            let body = reference.operation.body
            // A fill is a change: without confirmation, its lease would only be left behind.
            let isRight = !reference.request.wantsToken || trust.isConfirmed
            writer.append(isRight ? body : GetOperation.withoutToken(body))
        }
        message.finish(&writer, count: references.count)
        return expiry
    }

    /// Sends the bytes in the writer and registers the callers that wait for the answer.
    ///
    /// - Returns: `false` if it cannot be sent now; nothing is remembered then.
    private func send(_ sent: Sent) throws(ZeroMQError) -> Bool {
        guard let id = inFlight.open(sent) else { return false }
        writer.patch(id, at: 8)
        guard try sent.connection.socket.send(writer.bytes, more: false) == .sent else {
            _ = inFlight.close(id)
            sent.connection.wasBlocked(at: sent.sentAt)
            nextDue = min(nextDue, sent.connection.patienceEnd ?? Self.never)
            return false
        }
        noteSent(over: sent.connection, at: sent.sentAt)
        nextDue = min(nextDue, sent.expiry)
        return true
    }

    /// A message went out.
    func noteSent(over connection: ShardConnection, at now: Instant) {
        connection.wasUsed()
        connection.watch.sent(at: now)
        watchSilence(of: connection)
    }
}
