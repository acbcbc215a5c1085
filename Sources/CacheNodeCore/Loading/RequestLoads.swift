import CacheModel
import CacheWire

/// What a request knows of the loads that it waited for.
struct RequestLoads: Sendable {
    /// By operation. One that is missing has not ended in time.
    private(set) var results: [Int: LoadResult] = [:]
    /// What values take that these hold.
    private(set) var heldBytes = 0
    /// How many loads each operation has waited for.
    var counts: [Int: Int] = [:]
    /// What was applied when the request came in.
    var askedAt: LogPosition
    /// The last invalidation of a tag that was obeyed by then.
    var taggedAt: LogPosition
    /// The request will not wait any longer.
    var isLate = false
    /// Of its operations, those that wait for a prefetch.
    var prefetchCount = 0
    /// When its asker stops waiting.
    var deadline: Instant

    init(askedAt: LogPosition, taggedAt: LogPosition, deadline: Instant, isLate: Bool = false) {
        (self.askedAt, self.taggedAt) = (askedAt, taggedAt)
        (self.deadline, self.isLate) = (deadline, isLate)
    }

    /// Notes what one operation's load came to. A value is held as long as the answer has room for
    /// it, and so has whoever holds all of them; one that takes several frames never is.
    ///
    /// - Returns: how many bytes more are held.
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
