import CacheModel
import MartletClient
import Threading

/// The time of a driver's turn, and how long its thread has waited.
struct TurnClock {
    /// The end of latencies: when the message with the answer was received. Nanoseconds.
    private(set) var now: UInt64 = 0
    /// How long the thread waited for answers or for the next request.
    private(set) var waitedNanoseconds: UInt64 = 0
    private var turn = Turn()

    var instant: Instant { Instant(nanoseconds: now) }

    /// The answers of one turn.
    private struct Turn {
        var lostCount = 0
        var otherCount = 0
        /// When the first answer was received; 0 before.
        var firstAt: UInt64 = 0
    }

    mutating func read() -> UInt64 {
        now = MonotonicClock.now.nanoseconds
        return now
    }

    mutating func beginTurn() { turn = Turn() }
    var wasAllLost: Bool { turn.lostCount > 0 && turn.otherCount == 0 }

    mutating func answered(_ outcome: PipelinedOutcome) {
        if turn.firstAt == 0 { turn.firstAt = now }
        if outcome == .lost { turn.lostCount += 1 } else { turn.otherCount += 1 }
    }

    /// The turn waited from that moment for its first answer, or without any.
    mutating func waited(since moment: UInt64) {
        let end = turn.firstAt == 0 ? read() : turn.firstAt
        waitedNanoseconds += end - min(end, moment)
    }
}
