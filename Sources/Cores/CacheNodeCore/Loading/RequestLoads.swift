import CacheModel
import CacheWire

/// A request's state of the loads that it waited for.
struct RequestLoads: Sendable {
    /// By operation. A missing one has not ended in time.
    private(set) var results: [Int: LoadResult] = [:]
    /// Bytes of the values held by these.
    private(set) var heldBytes = 0
    /// Number of loads that each operation has waited for.
    var counts: [Int: Int] = [:]
    /// The position applied when the request arrived.
    var askedAt: LogPosition
    /// The last invalidation of a tag applied by then.
    var taggedAt: LogPosition
    /// The request will not wait any longer.
    var isLate = false
    /// Number of its operations that wait for a prefetch.
    var prefetchCount = 0
    /// When its asker stops waiting.
    var deadline: Instant

    init(askedAt: LogPosition, taggedAt: LogPosition, deadline: Instant, isLate: Bool = false) {
        (self.askedAt, self.taggedAt) = (askedAt, taggedAt)
        (self.deadline, self.isLate) = (deadline, isLate)
    }

    /// Records the result of one operation's load. A value is held as long as the answer has space
    /// for it, and so has the table of all held values; one that needs several frames is never
    /// held.
    ///
    /// - Returns: the number of additional bytes held.
    mutating func note(_ result: LoadResult, of operation: Int, roomBytes: Int) -> Int {
        let bytes = result.heldBytes
        let isHeld =
            bytes <= min(roomBytes, ShardLimits.answerRoomBytes - heldBytes)
            && bytes <= WireLimits.chunkBytesMax
        forget(operation)
        results[operation] = isHeld ? result : result.withoutValue()
        guard isHeld else { return 0 }
        heldBytes += bytes
        return bytes
    }

    /// An operation waits for another load.
    mutating func forget(_ operation: Int) {
        heldBytes -= results.removeValue(forKey: operation)?.heldBytes ?? 0
    }
}
