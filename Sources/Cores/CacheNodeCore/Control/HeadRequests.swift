import CacheModel

/// The shards' requests for the publisher's current head, of which one is under way.
///
/// A shard that asks while a request is under way joins the next one: the answer may have been
/// written before it asked. A shard numbers its requests, and an answer is valid for every earlier
/// number as well, so one number for each shard suffices.
struct HeadRequests: Sendable {
    private struct Request: Sendable {
        let id: UInt64
        /// By shard, as ``waiting``.
        let numbers: [UInt64]
        let sentAt: Instant
    }

    /// By shard, the greatest number that waits for the next request; 0 for none.
    private var waiting: [UInt64]
    private var underWay: Request?

    init(shardCount: Int) {
        waiting = Array(repeating: 0, count: shardCount)
    }

    /// When the request under way counts as lost.
    var nextDeadline: Instant? {
        underWay?.sentAt.advanced(by: NodeControlLimits.headPatience)
    }

    /// A shard asks.
    mutating func add(_ number: UInt64, of shard: ShardIndex) {
        waiting[shard.rawValue] = max(waiting[shard.rawValue], number)
    }

    /// Whether a request must be sent now: a shard waits and none is under way, or the one under
    /// way is lost.
    func isDue(now: Instant) -> Bool {
        guard let deadline = nextDeadline else { return waiting.contains { $0 > 0 } }
        return deadline <= now
    }

    /// A request is sent. Shards that waited for the one before it wait for this one.
    mutating func sent(requestID: UInt64, now: Instant) {
        dropRequest()
        underWay = Request(id: requestID, numbers: waiting, sentAt: now)
        waiting = Array(repeating: 0, count: waiting.count)
    }

    /// The request under way is not answered any more: its shards wait for the next one.
    mutating func dropRequest() {
        guard let request = underWay else { return }
        waiting = zip(waiting, request.numbers).map { max($0, $1) }
        underWay = nil
    }

    /// An answer came.
    ///
    /// - Returns: the shards to notify, each with the number that it answers; `nil` if it is not
    ///   the answer to the request under way.
    mutating func answered(requestID: UInt64) -> [(shard: ShardIndex, number: UInt64)]? {
        guard let request = underWay, request.id == requestID else { return nil }
        underWay = nil
        return request.numbers.enumerated().filter { $0.element > 0 }.map {
            (ShardIndex($0.offset), $0.element)
        }
    }
}
