public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Drains a node: it accepts no new work, finishes accepted work, takes leave of the publisher
    /// and exits.
    ///
    /// Returns when that has begun. The node refuses new stores, uploads and load leases with
    /// ``CacheModel/StoreRefusal/draining``, and still answers reads until it exits some moments
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

    /// Makes the publisher forget the runs of a node, all of which must be over. A node that died
    /// without taking leave is then listed as never heard. The publisher forgets such runs by
    /// itself, ten minutes after the last grant ended.
    ///
    /// This hides nothing, and the node keeps its keys. A run that is alive after all introduces
    /// itself again.
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
        let deadline = try self.deadline(timeout)
        _ = try await topology(naming: node, deadline: deadline)
        let order = NodeOrder(.forget, node)
        return Int(try await give(order, to: .publisher, deadline: deadline).runCount)
    }

    /// Both orders are safe to retry.
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
