public import CacheModel
import CacheClientCore
import CacheWire

extension CacheCluster {
    /// Drains a node: it accepts no new work, finishes accepted work, takes leave of the publisher
    /// and exits.
    ///
    /// Returns when that has begun. The node refuses new stores, uploads and load leases with
    /// `StoreRefusal.draining`, and still answers reads until it exits some moments
    /// later. From then on ``publisherStatus(timeout:)`` does not list that run. The node keeps its
    /// keys. Repeating the call is harmless.
    ///
    /// - Returns: the run that leaves.
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` if it is not running, ``CacheError/Code/timedOut`` if it
    ///   did not answer: it may leave all the same.
    @discardableResult
    public func drain(
        _ node: NodeID, timeout: Duration? = nil
    ) async throws(CacheError) -> Incarnation {
        let deadline = try loop.deadline(timeout)
        var failure: CacheError?
        for shard in try await shards(of: node, deadline: deadline) {
            do throws(CacheError) {
                let target = AdminRequest.Target.endpoint(shard.endpoint)
                return try await give(NodeOrder(.drain, node), to: target, deadline: deadline)
                    .incarnation
            } catch {
                guard error.code == .disconnected else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? CacheError.unreachable("node \(node)")
    }

    /// Makes the publisher forget the runs of a node, all of which must be over. A node that died
    /// without taking leave is then listed as never heard. The publisher forgets such runs by
    /// itself, ten minutes after the last grant ended.
    ///
    /// This hides nothing, and the node keeps its keys unless the log assigns slots: then the other
    /// nodes get them. A run that is alive after all introduces itself again.
    ///
    /// - Returns: how many runs were forgotten; 0 if none was known.
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/refused`` if one of its runs may still serve fresh values – the message
    ///   says for how long –, ``CacheError/Code/disconnected``, or ``CacheError/Code/timedOut``:
    ///   the runs may have been forgotten all the same.
    @discardableResult
    public func forget(
        _ node: NodeID, timeout: Duration? = nil
    ) async throws(CacheError) -> Int {
        let deadline = try loop.deadline(timeout)
        _ = try await topology(naming: node, deadline: deadline)
        let order = NodeOrder(.forget, node)
        return Int(try await give(order, to: .publisher, deadline: deadline).runCount)
    }

    /// Both orders are safe to retry.
    private func give(
        _ order: NodeOrder, to target: AdminRequest.Target, deadline: Instant
    ) async throws(CacheError) -> Done {
        try await loop.ask(
            AdminRequest(target, .init(.repeatable, deadline: deadline)) {
                order.encode(requestID: 0, into: &$0)
            }, .done
        ) { message throws(WireRefusal) in try Done(decoding: message.body) }
    }

    // MARK: Paced invalidations

    /// The paced invalidations: those that run, and some that ended lately, oldest first.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func pacedInvalidations(
        timeout: Duration? = nil
    ) async throws(CacheError) -> [PacedInvalidation] {
        try await client.publisher.ask(PaceRequest(.list), timeout)
    }

    /// Stops a paced invalidation. Keys that were already hidden stay hidden. Repeating the call is
    /// harmless.
    ///
    /// - Returns: its progress at the stop.
    /// - Throws: ``CacheError/Code/refused`` if none with that number runs, or if the stop could
    ///   not be recorded: then it continues after a restart of the publisher.
    ///   ``CacheError/Code/disconnected``, or ``CacheError/Code/timedOut``: it may have stopped.
    @discardableResult
    public func cancel(
        _ id: PacingID, timeout: Duration? = nil
    ) async throws(CacheError) -> PacedInvalidation {
        var request = PaceRequest(.cancel)
        request.id = id
        return try await client.publisher.order(request, timeout)
    }

    // MARK: Queued writes

    /// What to do with rejected writes.
    public enum QueueOrder: Hashable, Sendable {
        /// Discard them.
        case drop
        /// Send them to their origins again, queued after newer writes of the same keys.
        case retry
    }

    /// The writes that wait in the nodes' queues, and those that origins rejected.
    ///
    /// - Parameter node: `nil` for all nodes.
    /// - Returns: by node. One of several that does not answer has a ``QueuedWrites/failure``.
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut`` if none answers.
    public func queuedWrites(
        of node: NodeID? = nil, timeout: Duration? = nil
    ) async throws(CacheError) -> [QueuedWrites] {
        try await ask(QueueRequest(.list), of: node, timeout: timeout)
    }

    /// Applies an order to rejected writes, on every node.
    ///
    /// - Parameter key: `nil` for all of them.
    /// - Returns: the writes that are left, and how many the order changed. A node with a
    ///   ``QueuedWrites/failure`` may have carried it out.
    /// - Throws: as ``queuedWrites(of:timeout:)`` does.
    public func orderRejected(
        _ order: QueueOrder, key: CacheKey? = nil, in namespace: Namespace = .default,
        timeout: Duration? = nil
    ) async throws(CacheError) -> [QueuedWrites] {
        var request = QueueRequest(order == .drop ? .drop : .retry)
        request.namespace = namespace
        request.key = key
        return try await ask(request, of: nil, timeout: timeout)
    }

    private func ask(
        _ request: QueueRequest, of node: NodeID?, timeout: Duration?
    ) async throws(CacheError) -> [QueuedWrites] {
        let deadline = try loop.deadline(timeout)
        // Any shard answers for its node.
        let shards = try await shards(of: node, deadline: deadline).filter { $0.shard == 0 }
        let outcomes: [NodeID: Result<QueueReport, CacheError>] = await withTaskGroup(
            of: (NodeID, Result<QueueReport, CacheError>).self
        ) { group in
            for shard in shards {
                let question = AdminRequest(
                    .endpoint(shard.endpoint), .init(.repeatable, deadline: deadline)
                ) { request.encode(requestID: 0, into: &$0) }
                group.addTask { [loop] in
                    (
                        shard.node,
                        await Result.awaiting { () async throws(CacheError) in
                            try await loop.ask(
                                question, .queueReport, QueueReport.init(decoding:))
                        }
                    )
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return try Self.queues(of: shards.map(\.node), outcomes)
    }

    /// - Throws: the first failure if there is no answer.
    private static func queues(
        of nodes: [NodeID], _ outcomes: [NodeID: Result<QueueReport, CacheError>]
    ) throws(CacheError) -> [QueuedWrites] {
        var (queues, failures): ([QueuedWrites], [CacheError]) = ([], [])
        for node in nodes {
            switch outcomes[node] {
            case .success(let report)?: queues.append(QueuedWrites(report, of: node))
            case .failure(let error)?:
                failures.append(error)
                queues.append(QueuedWrites(of: node, failure: error.code))
            case nil: break
            }
        }
        guard let first = failures.first, failures.count == queues.count else { return queues }
        throw first
    }
}

extension QueuedWrites {
    fileprivate init(_ report: QueueReport, of node: NodeID) {
        self.init(
            node: node, waitingCount: Int(report.waitingCount),
            rejectedCount: Int(report.rejectedCount), changedCount: Int(report.changedCount),
            lines: report.lines.map(Line.init))
    }

    fileprivate init(of node: NodeID, failure: CacheError.Code) {
        self.init(
            node: node, waitingCount: 0, rejectedCount: 0, changedCount: 0, lines: [],
            failure: failure)
    }
}

extension QueuedWrites.Line {
    fileprivate init(_ line: QueueReport.Line) {
        self.init(
            number: line.number, namespace: line.namespace, key: line.key,
            valueBytes: line.valueBytes.map(Int.init),
            age: .milliseconds(Int64(clamping: line.ageMilliseconds)),
            attemptCount: Int(line.attemptCount),
            lastFailure: LoadFailure(rawValue: line.lastFailure),
            rejection: Self.rejection(line))
    }

    private static func rejection(_ line: QueueReport.Line) -> QueuedWrites.Rejection? {
        switch line.status {
        case 0: nil
        case QueueReport.unaskable:
            .init(status: nil, words: Array("its key cannot stand in the URL".utf8))
        case QueueReport.overtaken:
            .init(
                status: nil,
                words: Array("overtaken: another node may have written the key since".utf8))
        case QueueReport.atOwner: .init(status: nil, words: line.words)
        default: .init(status: Int(line.status), words: line.words)
        }
    }
}

/// The writes of one node that wait for its origins, and those that origins rejected after the node
/// had accepted them.
public struct QueuedWrites: Hashable, Sendable {
    /// One queued or rejected write.
    public struct Line: Hashable, Sendable {
        /// Its sequence number in the node's queue.
        public var number: UInt64
        public var namespace: Namespace
        public var key: CacheKey
        /// `nil` for the removal of the key.
        public var valueBytes: Int?
        /// Time since the client sent the write.
        public var age: Duration
        /// Attempts of this run of the node.
        public var attemptCount: Int
        /// Why the last attempt failed; `nil` if none failed.
        public var lastFailure: LoadFailure?
        /// `nil` while it waits.
        public var rejection: Rejection?
    }

    /// The final refusal of a write by its origin.
    public struct Rejection: Hashable, Sendable {
        /// The HTTP status; `nil` if this node has no answer of the origin, and the words say why.
        public var status: Int?
        /// The beginning of the origin's message.
        public var words: [UInt8]
    }

    public var node: NodeID
    public var waitingCount: Int
    public var rejectedCount: Int
    /// How many writes an order changed.
    public var changedCount: Int
    /// Oldest first; truncated if there are very many.
    public var lines: [Line]
    /// Why the node has not answered; then nothing else is known of it. `nil`: it has.
    public var failure: CacheError.Code?
}
