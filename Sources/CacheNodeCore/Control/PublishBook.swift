import CacheModel

/// The publishes of a node's shards that the publisher has not answered yet.
///
/// All wait equally long, so they run out in the order in which they came.
struct PublishBook: Sendable {
    struct Entry: Sendable {
        let shard: ShardIndex
        let ticket: UInt64
        let frame: [UInt8]
        let deadline: Instant
        var sendCount: Int
    }

    private var entries: [UInt64: Entry] = [:]
    /// Request ids in order of deadline; those that were answered are passed over.
    private var order: [UInt64] = []
    private var bytes = 0

    var count: Int { entries.count }

    /// Whether one more of `frameBytes` may be under way.
    func hasRoom(for frameBytes: Int) -> Bool {
        entries.count < NodeControlLimits.publishesInFlightMax
            && bytes + frameBytes <= NodeControlLimits.publishBytesInFlightMax
    }

    /// The moment at which the oldest runs out.
    var nextDeadline: Instant? {
        order.first.flatMap { entries[$0] }?.deadline
    }

    mutating func add(_ entry: Entry, requestID: UInt64) {
        precondition(hasRoom(for: entry.frame.count), "the caller asks for room first")
        entries[requestID] = entry
        order.append(requestID)
        bytes += entry.frame.count
    }

    /// Takes out the one that was answered; `nil` if it ran out before, or never was.
    ///
    /// - Complexity: O(1), and a move of the order's numbers when the oldest is answered.
    mutating func finish(_ requestID: UInt64) -> Entry? {
        guard let entry = entries.removeValue(forKey: requestID) else { return nil }
        bytes -= entry.frame.count
        order.removeFirst(order.prefix { entries[$0] == nil }.count)
        return entry
    }

    /// Takes out the oldest if its time is over.
    mutating func expireFirst(now: Instant) -> Entry? {
        guard let first = order.first, let entry = entries[first], entry.deadline <= now else {
            return nil
        }
        return finish(first)
    }

    /// Takes out the oldest.
    mutating func removeFirst() -> Entry? {
        order.first.flatMap { finish($0) }
    }

    /// Counts one more sending of everything that may be sent again, in order, and gives the
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
