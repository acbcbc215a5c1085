import CacheModel

/// The publishes of a node's shards without an answer from the publisher.
///
/// All have the same timeout, so they expire in order of arrival.
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

    /// Whether one more of `frameBytes` may be under way.
    func hasRoom(for frameBytes: Int) -> Bool {
        entries.count < NodeControlLimits.publishesInFlightMax
            && bytes + frameBytes <= NodeControlLimits.publishBytesInFlightMax
    }

    /// When the oldest expires.
    var nextDeadline: Instant? {
        order.first.flatMap { entries[$0] }?.deadline
    }

    mutating func add(_ entry: Entry, requestID: UInt64) {
        precondition(hasRoom(for: entry.frame.count), "the caller asks for room first")
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

    /// Removes the oldest if it has expired.
    mutating func expireFirst(now: Instant) -> Entry? {
        guard let first = order.first, let entry = entries[first], entry.deadline <= now else {
            return nil
        }
        return finish(first)
    }

    /// Removes the oldest.
    mutating func removeFirst() -> Entry? {
        order.first.flatMap { finish($0) }
    }

    /// Counts one more transmission of everything that may be sent again, in order, and returns the
    /// frames.
    mutating func framesToSend() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for requestID in order {
            guard var entry = entries[requestID],
                entry.sendCount < NodeControlLimits.publishSendsMax
            else { continue }
            entry.sendCount += 1
            entries[requestID] = entry
            frames.append(entry.frame)
        }
        return frames
    }
}
