public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
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
        let deadline = try self.deadline(timeout)
        var writer = ByteWriter(capacityBytes: 128)
        request.encode(requestID: 0, into: &writer)
        var answers: [QueuedWrites] = []
        // Any shard answers for its node.
        for shard in try await shards(of: node, deadline: deadline) where shard.shard == 0 {
            let frame = try await loop.ask(
                AdminRequest(
                    .endpoint(shard.endpoint), message: writer.array,
                    schedule: RetrySchedule(.repeatable, deadline: deadline, seed: 0)))
            let report = try Self.decode(frame, .queueReport) { message throws(WireRefusal) in
                try QueueReport(decoding: message)
            }
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
