import CacheInvalidation
import CacheModel

/// Requests for missing records, and whether the log is followed without a gap.
///
/// A request is also a claim, so it waits until every shard has applied the records handed to it.
/// Meanwhile an earlier one may still be answered.
struct ReplayRequests: Sendable {
    struct Request: Equatable, Sendable {
        let requestID: UInt64
        let after: LogMark
        let sentAt: Instant
    }

    /// What the subscriber's state means for the node.
    enum Condition: Sendable {
        case contiguous
        case gap
        case diverged

        init(of subscriber: Subscriber) {
            self =
                subscriber.isDiverged
                ? .diverged : subscriber.isRecovering ? .gap : .contiguous
        }
    }

    /// The last request, until it is answered, or cannot be any more.
    var unanswered: Request?
    /// Whether a request waits for the shards.
    var isWaiting = false
    /// As last reported.
    var condition = Condition.contiguous
    private var replayedCount = 0

    /// Requests what follows `mark`, but not the same again within a short time: heartbeats follow
    /// every burst, and a long answer may be on its way.
    ///
    /// - Returns: the request id to send it with; `nil` if it is not sent.
    mutating func request(after mark: LogMark, nextID: UInt64, now: Instant) -> UInt64? {
        isWaiting = false
        let earlier = unanswered.flatMap { $0.after == mark ? $0 : nil }
        if let earlier, now.elapsed(since: earlier.sentAt) < NodeControlLimits.replayPatience {
            return nil
        }
        let requestID = earlier?.requestID ?? nextID
        unanswered = Request(requestID: requestID, after: mark, sentAt: now)
        return requestID
    }

    /// Only the answer to the last request is used: an older one may be about a mark that was left
    /// long ago.
    ///
    /// - Returns: the mark after which records were requested; `nil` for any other answer.
    mutating func answered(requestID: UInt64) -> LogMark? {
        guard let request = unanswered, request.requestID == requestID else { return nil }
        unanswered = nil
        return request.after
    }

    /// - Returns: the number of replayed records since the gap began, if it is closed.
    mutating func replayed(_ count: Int, isAtHead: Bool) -> Int? {
        replayedCount += count
        guard isAtHead, replayedCount > 0 else { return nil }
        defer { replayedCount = 0 }
        return replayedCount
    }

    mutating func forget() {
        unanswered = nil
        isWaiting = false
        replayedCount = 0
    }
}
