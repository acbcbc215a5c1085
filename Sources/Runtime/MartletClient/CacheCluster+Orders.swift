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
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut`` if one does not answer.
    public func queuedWrites(
        of node: NodeID? = nil, timeout: Duration? = nil
    ) async throws(CacheError) -> [QueuedWrites] {
        try await ask(QueueRequest(.list), of: node, timeout: timeout)
    }

    /// Applies an order to rejected writes, on every node.
    ///
    /// - Parameter key: `nil` for all of them.
    /// - Returns: the writes that are left, and how many the order changed.
    /// - Throws: as ``queuedWrites(of:timeout:)`` does; some nodes may have carried it out.
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
        var answers: [QueuedWrites] = []
        // Any shard answers for its node.
        for shard in try await shards(of: node, deadline: deadline) where shard.shard == 0 {
            let question = AdminRequest(
                .endpoint(shard.endpoint), .init(.repeatable, deadline: deadline)
            ) { request.encode(requestID: 0, into: &$0) }
            let report = try await loop.ask(question, .queueReport, QueueReport.init(decoding:))
            answers.append(QueuedWrites(report, of: shard.node))
        }
        return answers
    }
}

extension QueuedWrites {
    fileprivate init(_ report: QueueReport, of node: NodeID) {
        self.init(
            node: node, waitingCount: Int(report.waitingCount),
            rejectedCount: Int(report.rejectedCount), changedCount: Int(report.changedCount),
            lines: report.lines.map(Line.init))
    }
}

extension QueuedWrites.Line {
    fileprivate init(_ line: QueueReport.Line) {
        let status = line.status == QueueReport.unaskable ? nil : Int(line.status)
        self.init(
            number: line.number, namespace: line.namespace, key: line.key,
            valueBytes: line.valueBytes.map(Int.init),
            age: .milliseconds(Int64(clamping: line.ageMilliseconds)),
            attemptCount: Int(line.attemptCount),
            lastFailure: LoadFailure(rawValue: line.lastFailure),
            rejection: line.status == 0
                ? nil : QueuedWrites.Rejection(status: status, words: line.words))
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
        /// The HTTP status; `nil` if the origin was not asked, because its URL cannot contain the
        /// key.
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
}
