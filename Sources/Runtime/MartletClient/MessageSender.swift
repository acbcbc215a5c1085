import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

/// A message that was sent and not answered yet.
struct SentMessage {
    enum Content {
        case operations([OperationReference])
        /// Not answered in time; its answer may bring load leases.
        case late([OperationReference])
        case gets(GetBatch)
        case question(AdminRequest)
        /// Of a publisher that was left: asked elsewhere, and its answer still counts.
        case lateQuestion(AdminRequest)
        case topology
        /// A test whether the shard answers at all.
        case probe

        /// Whether it may be repeated elsewhere without a double effect.
        var isRead: Bool {
            switch self {
            case .operations(let references): references.allSatisfy { !$0.request.isWrite }
            case .gets: true
            case .question(let request): !request.mayHaveHappened
            case .late, .lateQuestion, .topology, .probe: false
            }
        }

        /// Whether it is a question to the leading publisher that may be repeated at another one.
        var isPublisherQuestion: Bool {
            guard case .question(let request) = self else { return false }
            return request.isForPublisher && request.schedule.effect != .onceOnly
        }

        /// Whether it holds only parts of uploads, which store nothing by themselves.
        var isChunks: Bool {
            guard case .operations(let references) = self else { return false }
            return references.allSatisfy { $0.request.isChunk }
        }
    }

    var content: Content
    let connection: ShardConnection
    let sentAt: Instant
    var expiry: Instant
}

/// Writes messages, sends them, and keeps those that are not answered yet. Lives on the loop's
/// thread.
final class MessageSender {
    /// What messages tell of the topology that routes them.
    struct View {
        /// None if unknown.
        var cluster = ClusterID.none
        var version: UInt32?
        /// Whether changes may be sent on that topology.
        var isConfirmed = false
    }

    private let loop: ClientLoop
    private let timer: DueTimer
    private var inFlight: InFlightTable<SentMessage>
    private var writer = ByteWriter(capacityBytes: 16_384)

    init(
        _ loop: ClientLoop, _ timer: DueTimer, capacity: Int = ClientLimits.messagesInFlightMax
    ) {
        self.loop = loop
        self.timer = timer
        inFlight = InFlightTable(capacity: capacity)
    }

    // MARK: Messages in flight

    var openCount: Int { inFlight.count }

    subscript(id: UInt64) -> SentMessage? { inFlight[id] }

    func close(_ id: UInt64) { inFlight.close(id)?.connection.watch.ended() }

    /// Continues to wait for an open message, with this content and expiry.
    func keep(_ id: UInt64, _ sent: SentMessage) {
        inFlight[id] = sent
        timer.lower(to: sent.expiry)
    }

    /// Forgets all messages, and with them their connections.
    func removeAll() { inFlight = InFlightTable(capacity: 1) }

    /// - Complexity: O(capacity).
    func forEach(_ body: (UInt64, SentMessage) -> Void) { inFlight.forEach(body) }

    /// The messages without an answer in time. The timer learns of the next one.
    ///
    /// - Complexity: O(capacity).
    func expired(at now: Instant) -> [UInt64] {
        var expired: [UInt64] = []
        var soonest = DueTimer.never
        inFlight.forEach { id, sent in
            if sent.expiry <= now {
                expired.append(id)
            } else {
                soonest = min(soonest, sent.expiry)
            }
        }
        timer.lower(to: soonest)
        return expired
    }

    /// The open messages of a connection that fit.
    ///
    /// - Complexity: O(capacity).
    func ids(
        on connection: ShardConnection, where fits: (SentMessage.Content) -> Bool
    ) -> [UInt64] {
        var ids: [UInt64] = []
        inFlight.forEach { id, sent in
            if sent.connection === connection, fits(sent.content) { ids.append(id) }
        }
        return ids
    }

    // MARK: Sending

    /// Sends the questions and operations that wait at a connection.
    ///
    /// - Returns: whether all of it was sent; otherwise the socket is full.
    func flush(
        _ connection: ShardConnection, _ view: View, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        if connection.blockedSince != nil, try !connection.socket.isWritable {
            timer.lower(to: connection.patienceEnd ?? DueTimer.never)
            return false
        }
        if connection.isAskedForTopology {
            guard
                try sendTopologyQuestion(
                    .topology, ClientLimits.topologyAttemptTimeout, over: connection, at: now)
            else { return false }
            connection.isAskedForTopology = false
        }
        if connection.isToBeProbed {
            // Any shard answers at once, whatever it does. The contents of the answer are ignored:
            // a node that has just come back may have an old topology.
            guard
                try sendTopologyQuestion(
                    .probe, ClientLimits.attemptTimeout, over: connection, at: now)
            else { return false }
            connection.isToBeProbed = false
        }
        guard connection.watch.takesRequests else { return false }
        while let request = connection.questions.first {
            if !request.isSettled {
                guard try send(request, over: connection, of: view.cluster, at: now) else {
                    return false
                }
            }
            connection.questions.removeFirst()
        }
        while !connection.groups.isEmpty {
            guard try flushFirstGroup(connection, view, at: now) else { return false }
            connection.groups.removeFirst()
        }
        return true
    }

    private func sendTopologyQuestion(
        _ content: SentMessage.Content, _ patience: Duration, over connection: ShardConnection,
        at now: Instant
    ) throws(ZeroMQError) -> Bool {
        writer.removeAll()
        MessageWriter(.topology, requestID: 0, into: &writer).finish(&writer, count: 0)
        return try send(
            SentMessage(
                content: content, connection: connection, sentAt: now,
                expiry: now.advanced(by: patience)))
    }

    private func send(
        _ request: AdminRequest, over connection: ShardConnection, of cluster: ClusterID,
        at now: Instant
    ) throws(ZeroMQError) -> Bool {
        writer.removeAll()
        MessageWriter.append(request.message, from: cluster, to: &writer)
        request.session = loop.sessionNumber
        return try send(
            SentMessage(
                content: .question(request), connection: connection, sentAt: now,
                expiry: request.schedule.attemptEnd(from: now)))
    }

    /// - Returns: whether all of the group was sent.
    private func flushFirstGroup(
        _ connection: ShardConnection, _ view: View, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        let envelope = connection.groups[0].envelope
        while connection.groups[0].sentCount < connection.groups[0].waiting.count {
            let (references, end) = connection.groups[0].nextMessage()
            guard !references.isEmpty else {
                connection.groups[0].sentCount = end
                continue
            }
            let expiry = write(references, envelope, view, at: now)
            let sent = SentMessage(
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

    /// Writes the message for these operations.
    ///
    /// - Returns: until when it may stay unanswered.
    private func write(
        _ references: [OperationReference], _ envelope: Envelope, _ view: View, at now: Instant
    ) -> Instant {
        let ends = references.lazy.map {
            $0.request.progress[$0.index].schedule.attemptEnd(from: now)
        }
        let expiry = ends.min() ?? DueTimer.never
        writer.removeAll()
        let message = envelope.begin(
            in: &writer, view, patience: expiry.elapsed(since: now))
        for reference in references {
            let body = reference.operation.body
            // A fill is a change: without confirmation, its lease would only be left behind.
            let isRight = !reference.request.wantsToken || view.isConfirmed
            writer.append(isRight ? body : GetOperation.withoutToken(body))
        }
        message.finish(&writer, count: references.count)
        return expiry
    }

    /// Sends the bytes in the writer and registers the callers that wait for the answer.
    ///
    /// - Returns: `false` if it cannot be sent now; nothing is remembered then.
    private func send(_ sent: SentMessage) throws(ZeroMQError) -> Bool {
        guard let id = inFlight.open(sent) else { return false }
        writer.patch(id, at: 8)
        guard try sent.connection.socket.send(writer.bytes, more: false) == .sent else {
            wasBlocked(id, sent)
            return false
        }
        wasSent(sent)
        return true
    }

    /// Sends a message of plain gets.
    ///
    /// - Returns: `false` if the socket is full; nothing is registered then.
    func send(
        _ batch: GetBatch, over connection: ShardConnection, at now: Instant
    ) throws(ZeroMQError) -> Bool {
        let sent = SentMessage(
            content: .gets(batch), connection: connection, sentAt: now,
            expiry: batch.draft.attemptEnd(from: now))
        guard let id = inFlight.open(sent) else { return false }
        let bytes = batch.draft.finish(requestID: id, at: now)
        guard try connection.socket.send(bytes, more: false) == .sent else {
            wasBlocked(id, sent)
            return false
        }
        wasSent(sent)
        connection.window.sent()
        return true
    }

    private func wasBlocked(_ id: UInt64, _ sent: SentMessage) {
        _ = inFlight.close(id)
        sent.connection.wasBlocked(at: sent.sentAt)
        timer.lower(to: sent.connection.patienceEnd ?? DueTimer.never)
    }

    private func wasSent(_ sent: SentMessage) {
        sent.connection.wasUsed()
        sent.connection.watch.sent(at: sent.sentAt)
        timer.watch(sent.connection)
        timer.lower(to: sent.expiry)
    }
}

extension ShardConnection.Group {
    /// The operations that share the next message, and where the rest begins.
    fileprivate func nextMessage() -> (references: [OperationReference], end: Int) {
        let countMax = envelope.operationsPerMessageMax
        var references: [OperationReference] = []
        var (requestBytes, replyBytes) = (0, 0)
        var cursor = sentCount
        while cursor < waiting.count, references.count < countMax {
            let reference = waiting[cursor]
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
}

extension Envelope {
    /// Begins a message, and writes its fields.
    fileprivate func begin(
        in writer: inout ByteWriter, _ view: MessageSender.View, patience: Duration
    ) -> MessageWriter {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        var message = MessageWriter(type, requestID: 0, into: &writer)
        message.field(namespace, into: &writer)
        if let position = atLeast, !sessionCluster.contradicts(view.cluster) {
            message.field(MessageFields.ID.atLeast, position, into: &writer)
        }
        if isFresh { message.field(MessageFields.ID.fresh, none, into: &writer) }
        if let policy { message.field(policy, into: &writer) }
        if let age = maxAgeMilliseconds {
            message.field(MessageFields.ID.maxAge, age, into: &writer)
        }
        if let stale = maxStaleMilliseconds {
            message.field(MessageFields.ID.maxStale, stale, into: &writer)
        }
        message.field(
            MessageFields.ID.deadline, RetrySchedule.keepingMilliseconds(patience: patience),
            into: &writer)
        if let version = view.version {
            message.field(MessageFields.ID.topology, version, into: &writer)
        }
        message.field(trace, into: &writer)
        if isAgain { message.field(MessageFields.ID.again, none, into: &writer) }
        message.field(view.cluster, into: &writer)
        return message
    }
}
