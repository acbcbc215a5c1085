import ByteCoding
package import CacheModel
import CacheWire

/// The publishes of a node's shards without an answer from the publisher.
///
/// No timeout is shorter than that of an earlier one, so they expire in order of arrival.
struct PendingPublishes: Sendable {
    struct Entry: Sendable {
        let shard: ShardIndex
        let ticket: UInt64
        let frame: [UInt8]
        let deadline: Instant
        var sendCount: Int
    }

    private var entries: [UInt64: Entry] = [:]
    /// Request ids in order of deadline; answered ones are skipped.
    private var order: [UInt64] = []
    private var bytes = 0

    var count: Int { entries.count }

    /// Why a publish is not even sent. A frame larger than a record would be refused by the
    /// publisher, or would break the connection.
    func refusal(scopeCount: Int, frameBytes: Int) -> PublishFailure? {
        guard (1...InvalidationRecord.scopesMax).contains(scopeCount),
            frameBytes <= InvalidationRecord.bytesMax
        else { return .outOfRange }
        return hasRoom(for: frameBytes) ? nil : .tooManyInFlight
    }

    private func hasRoom(for frameBytes: Int) -> Bool {
        entries.count < NodeControlLimits.publishesInFlightMax
            && bytes + frameBytes <= NodeControlLimits.publishBytesInFlightMax
    }

    /// When the oldest expires.
    var nextDeadline: Instant? {
        order.first.flatMap { entries[$0] }?.deadline
    }

    mutating func add(_ entry: Entry, requestID: UInt64) {
        precondition(hasRoom(for: entry.frame.count), "the caller checks the limits first")
        entries[requestID] = entry
        order.append(requestID)
        bytes += entry.frame.count
    }

    /// Removes the answered publish; `nil` if it expired before, or never existed.
    ///
    /// - Complexity: O(1), plus a move of the order's numbers when the oldest is answered.
    mutating func finish(_ requestID: UInt64) -> Entry? {
        guard let entry = entries.removeValue(forKey: requestID) else { return nil }
        bytes -= entry.frame.count
        order.removeFirst(order.prefix { entries[$0] == nil }.count)
        return entry
    }

    /// Removes the oldest, if it has expired at `now`; without a time in any case.
    mutating func removeFirst(expiredAt now: Instant? = nil) -> Entry? {
        if let now, nextDeadline.map({ now < $0 }) ?? true { return nil }
        return order.first.flatMap { finish($0) }
    }

    /// Sends everything again that may be, in order, and counts that transmission.
    ///
    /// - Parameter areSeveral: whether there are several publishers: then only time is a bound.
    mutating func repetitions(areSeveral: Bool) -> [NodeControlAction] {
        var actions: [NodeControlAction] = []
        for requestID in order {
            guard var entry = entries[requestID],
                areSeveral || entry.sendCount < NodeControlLimits.publishSendsMax
            else { continue }
            entry.sendCount += 1
            entries[requestID] = entry
            actions.append(.sendControl(bytes: entry.frame))
        }
        return actions
    }
}

/// A shard's request to invalidate scopes on all nodes: a DELETE, or a SET if every node may hold
/// the key.
package struct ShardPublishRequest: Hashable, Sendable {
    package var shard: ShardIndex
    /// The shard's own id of the request, returned with the answer.
    package var ticket: UInt64
    /// 1 to 1 000 of them.
    package var scopes: [Scope]
    /// Whether it orders a store, rather than reporting a change.
    package var ordersStore = false
    /// By which the publisher detects a repetition. Not ``OperationID/none``: it may be sent twice.
    package var operation: OperationID
    /// The access entry of the client that made the request; `nil`: clients are not identified, or
    /// the node acts on its own.
    package var issuer: Issuer?
    /// The external request that it belongs to.
    package var trace: TraceContext?

    package init(shard: ShardIndex, ticket: UInt64, scopes: [Scope], operation: OperationID) {
        self.shard = shard
        self.ticket = ticket
        self.scopes = scopes
        self.operation = operation
    }

    /// The message to the publisher; empty if there are more scopes than it can count.
    ///
    /// - Parameter timeout: how long a publisher may keep it.
    func frame(
        requestID: UInt64, from node: NodeID, of cluster: ClusterID, timeout: Duration
    ) -> [UInt8] {
        guard scopes.count <= InvalidationRecord.scopesMax else { return [] }
        var invalidate = InvalidateRequest(
            scopes: scopes, wait: .none,
            timeoutMilliseconds: UInt32(clamping: timeout.wholeMilliseconds),
            operation: operation)
        invalidate.ordersStore = ordersStore
        invalidate.trace = trace
        invalidate.issuer = issuer ?? Issuer(node: node)
        invalidate.cluster = cluster
        var writer = ByteWriter(capacityBytes: 256)
        invalidate.encode(requestID: requestID, into: &writer)
        return writer.array
    }
}

/// Why a shard's publish failed, as far as the node knows.
package enum PublishFailure: Error, Hashable, Sendable {
    /// Too many are under way. Nothing was invalidated.
    case tooManyInFlight
    /// No scopes, too many, or more bytes than fit into a record. Nothing was invalidated.
    case outOfRange
    /// No answer came in time. The scopes may have been invalidated, or may yet be.
    case unanswered
    /// The publisher declined. `message` says whether something may have been invalidated.
    case refused(code: UInt16, message: String)
    /// The node is leaving. The scopes may have been invalidated.
    case leaving
}
