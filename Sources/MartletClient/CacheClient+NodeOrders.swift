public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Has a node take nothing new, finish what it accepted, say goodbye and end.
    ///
    /// Returns when that has begun. The node refuses new stores, uploads and rights to load as
    /// ``CacheModel/StoreRefusal/draining`` and still answers reads, until it is gone some moments
    /// later: then ``publisherStatus(timeout:)`` does not know the run any more. Its keys stay its
    /// own. Asking again is harmless.
    ///
    /// - Returns: the run that leaves.
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` if it is not there, ``CacheError/Code/timedOut`` if it
    ///   did not answer: it may leave all the same.
    @discardableResult
    public func drain(
        _ node: NodeID, timeout: Duration? = nil
    ) async throws(CacheError) -> Incarnation {
        let deadline = try self.deadline(timeout)
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

    /// Has the publisher drop what it knows of a node's runs, all of which are over: one that died
    /// and never said goodbye is listed as never heard then. The publisher does so by itself ten
    /// minutes after the last grant ended.
    ///
    /// Nothing is hidden, and the node's keys stay its own. A run that is there after all
    /// introduces itself again.
    ///
    /// - Returns: how many runs were dropped; 0 if none was known.
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/refused`` if a run of it may still answer fresh – the message says for
    ///   how long –, ``CacheError/Code/disconnected``, or ``CacheError/Code/timedOut``: it may
    ///   have been forgotten all the same.
    @discardableResult
    public func forget(
        _ node: NodeID, timeout: Duration? = nil
    ) async throws(CacheError) -> Int {
        let deadline = try self.deadline(timeout)
        _ = try await topology(naming: node, deadline: deadline)
        let order = NodeOrder(.forget, node)
        return Int(try await give(order, to: .publisher, deadline: deadline).runCount)
    }

    /// Either order may be given twice.
    private func give(
        _ order: NodeOrder, to target: AdminRequest.Target, deadline: Instant
    ) async throws(CacheError) -> Done {
        var writer = ByteWriter(capacityBytes: 128)
        order.encode(requestID: 0, into: &writer)
        let frame = try await loop.ask(
            AdminRequest(
                target, message: writer.array,
                schedule: RetrySchedule(.repeatable, deadline: deadline, seed: 0)))
        return try Self.decode(frame, .done) { message throws(WireRefusal) in
            try Done(decoding: message.body)
        }
    }
}
