package import CacheModel

struct Load {
    enum State {
        /// At its gate: waiting for a turn, or resting between two attempts.
        case waiting(LoadQueue.Place)
        /// The attempt is at the origin. Becomes `waiting` if it fails and is worth another.
        case trying(AttemptNumber)
    }

    /// As requested: its timeout is for the whole load.
    let request: OriginRequest
    let gate: GateNumber
    let deadline: Instant
    var urgency: LoadUrgency
    var attemptCount = 0
    var state: State

    func timeLeft(now: Instant) -> Duration { deadline.elapsed(since: now) }

    /// Whether an attempt that begins now has at least half of the load's time. With less, a
    /// timeout says more about the queue than about the origin.
    func hasFairTime(now: Instant) -> Bool { timeLeft(now: now) * 2 >= request.timeout }
}

/// Identifies one load: the shard that requested it, and the shard's own number for it.
package struct LoadTicket: Hashable, Sendable {
    package var shard: UInt16
    /// Never used twice by its shard.
    package var number: UInt64

    package init(shard: UInt16, number: UInt64) {
        self.shard = shard
        self.number = number
    }
}

/// The urgency of a load.
///
/// Law of order – the most urgent first:
///
///     awaited < refresh < prefetch
package enum LoadUrgency: UInt8, CaseIterable, Comparable, Sendable {
    /// Readers wait for it.
    case awaited = 0
    /// No reader waits: readers got the held value, and this load refreshes it in the background.
    case refresh = 1
    /// No reader waits yet. It is fetched in advance, and is never worth a retry.
    case prefetch = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

package struct LoadOrder: Equatable, Sendable {
    package var ticket: LoadTicket
    /// Its `timeout` is for the whole load: waiting for a turn, every attempt, every back-off. Its
    /// policy is the shard's; the scheduler uses its own configured policy.
    package var request: OriginRequest
    package var urgency: LoadUrgency

    package init(ticket: LoadTicket, request: OriginRequest, urgency: LoadUrgency) {
        self.ticket = ticket
        self.request = request
        self.urgency = urgency
    }
}

/// The end of a load, not yet interpreted.
package enum LoadAnswer: Equatable, Sendable {
    /// The origin's last answer of any kind: a value, a 404, or the 503 after which no attempt was
    /// left.
    case reply(OriginReply)
    /// No answer from the origin.
    ///
    /// - Parameter retryAfter: when another load may succeed; `nil`: unknown.
    case failed(LoadFailure, retryAfter: Duration?)
}
