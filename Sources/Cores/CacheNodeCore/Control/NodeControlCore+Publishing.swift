import ByteCoding
package import CacheModel
import CacheWire

/// The shards' publishes, to the publisher and back.
extension NodeControlCore {
    /// A shard asks to invalidate scopes on all nodes. Exactly one `.published` answers its ticket,
    /// at once or within ``NodeControlLimits/publishTimeout``.
    ///
    /// While the publisher is away it waits: a publisher that is only restarting is often back in
    /// time.
    package mutating func publish(
        _ request: ShardPublishRequest, now: Instant, into actions: inout [NodeControlAction]
    ) {
        precondition(request.operation != .none, "what may be sent twice has an operation id")
        statistics.publishes += 1
        let requestID = nextRequestID(.publish)
        let frame = encode(request, requestID: requestID)
        var entry = PendingPublishes.Entry(
            shard: request.shard, ticket: request.ticket, frame: frame,
            deadline: now.advanced(by: NodeControlLimits.publishTimeout), sendCount: 0)
        if let failure = refusal(of: request, frameBytes: frame.count) {
            return answer(entry, .failure(failure), into: &actions)
        }
        if case .joined = phase {
            entry.sendCount = 1
            actions.append(.sendControl(bytes: frame))
        }
        publishes.add(entry, requestID: requestID)
    }

    /// Why a publish is not even sent. A frame larger than a record would be refused by the
    /// publisher, or would break the connection.
    private func refusal(
        of request: ShardPublishRequest, frameBytes: Int
    ) -> PublishFailure? {
        if isStopped { return .leaving }
        guard (1...InvalidationRecord.scopesMax).contains(request.scopes.count),
            frameBytes <= InvalidationRecord.bytesMax
        else { return .outOfRange }
        return publishes.hasRoom(for: frameBytes) ? nil : .tooManyInFlight
    }

    /// The frame; empty if there are more scopes than it can count.
    private func encode(_ request: ShardPublishRequest, requestID: UInt64) -> [UInt8] {
        guard request.scopes.count <= InvalidationRecord.scopesMax else { return [] }
        var invalidate = InvalidateRequest(
            scopes: request.scopes, wait: .none,
            timeoutMilliseconds: UInt32(
                clamping: NodeControlLimits.publishTimeout.wholeMilliseconds),
            operation: request.operation)
        invalidate.ordersStore = request.ordersStore
        invalidate.trace = request.trace
        invalidate.issuer = request.issuer ?? Issuer(node: identity.node)
        invalidate.cluster = membership.cluster
        var writer = ByteWriter(capacityBytes: 256)
        invalidate.encode(requestID: requestID, into: &writer)
        return writer.array
    }

    mutating func received(
        _ receipt: Receipt, requestID: UInt64, into actions: inout [NodeControlAction]
    ) {
        guard let entry = publishes.finish(requestID) else { return }
        answer(entry, .success(receipt.position), into: &actions)
    }

    /// Answers every publish whose deadline has passed.
    mutating func expirePublishes(now: Instant, into actions: inout [NodeControlAction]) {
        while let entry = publishes.expireFirst(now: now) {
            answer(entry, .failure(.unanswered), into: &actions)
        }
    }

    mutating func answer(
        _ entry: PendingPublishes.Entry, _ result: Result<LogPosition, PublishFailure>,
        into actions: inout [NodeControlAction]
    ) {
        if case .failure = result { statistics.publishFailures += 1 }
        actions.append(.published(shard: entry.shard, ticket: entry.ticket, result: result))
    }
}
