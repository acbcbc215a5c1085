import CacheModel

/// The shards' requests for the publisher's current head, of which one is under way.
///
/// A shard that asks while a request is under way joins the next one: the answer may have been
/// written before it asked. A shard numbers its requests, and an answer is valid for every earlier
/// number as well, so one number for each shard suffices.
struct HeadRequests: Sendable {
    /// By shard, the greatest number asked; 0 for none.
    private typealias Askers = [UInt64]

    private struct Question: Sendable {
        let requestID: UInt64
        let askers: Askers
        let askedAt: Instant
    }

    private var waiting: Askers
    private var underWay: Question?

    init(shardCount: Int) {
        waiting = Array(repeating: 0, count: shardCount)
    }

    private var isAnybodyWaiting: Bool { waiting.contains { $0 > 0 } }

    /// When the request under way counts as lost.
    var nextDeadline: Instant? {
        underWay?.askedAt.advanced(by: NodeControlLimits.headPatience)
    }

    /// A shard asks.
    mutating func add(_ number: UInt64, of shard: ShardIndex) {
        waiting[shard.rawValue] = max(waiting[shard.rawValue], number)
    }

    /// Whether a request must be sent now: a shard waits and none is under way, or the one under
    /// way is lost.
    func isDue(now: Instant) -> Bool {
        guard let deadline = nextDeadline else { return isAnybodyWaiting }
        return deadline <= now
    }

    /// A request is sent. Shards that waited for the one before it wait for this one.
    mutating func asked(requestID: UInt64, now: Instant) {
        let earlier = underWay?.askers ?? Array(repeating: 0, count: waiting.count)
        underWay = Question(
            requestID: requestID, askers: zip(earlier, waiting).map { max($0, $1) }, askedAt: now)
        waiting = Array(repeating: 0, count: waiting.count)
    }

    /// The connection on which the request was sent has been replaced.
    mutating func lost() {
        guard let question = underWay else { return }
        for (shard, number) in question.askers.enumerated() {
            waiting[shard] = max(waiting[shard], number)
        }
        underWay = nil
    }

    /// An answer came.
    ///
    /// - Returns: the shards to notify, each with the number that it answers; `nil` if it is not
    ///   the answer to the request under way.
    mutating func answered(requestID: UInt64) -> [(shard: ShardIndex, number: UInt64)]? {
        guard let question = underWay, question.requestID == requestID else { return nil }
        underWay = nil
        return question.askers.enumerated().filter { $0.element > 0 }.map {
            (ShardIndex($0.offset), $0.element)
        }
    }
}
