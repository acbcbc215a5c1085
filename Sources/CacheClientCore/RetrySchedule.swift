import ByteCoding
package import CacheModel

/// Whether and when one operation is asked again.
///
/// | what happened | a read | once only | repeatable |
/// |---|---|---|---|
/// | BUSY, DEFERRED: certainly not done | again | again | again |
/// | BEHIND: the shard is catching up | again | – | again |
/// | silence: perhaps done | again | give up | again |
///
/// *Once only* are stores, removals and new times to live: to repeat one blindly could undo what
/// somebody else did in between. *Repeatable* is what carries an operation id.
///
/// After a pause, what changes something is asked for again only while its answer has time to
/// come: at least as long as the pause, or ``ClientLimits/wayBackMin`` where that is longer. An
/// attempt in the last moment would go unanswered, and leave in doubt what was certainly not done.
///
/// Pure: the caller says what time it is, and spreads the pauses by a seed of its own.
package struct RetrySchedule: Sendable {
    /// What a second execution would do.
    package enum Effect: Hashable, Sendable {
        case read
        case onceOnly
        case repeatable
    }

    package enum Failure: Hashable, Sendable {
        /// A bound was reached at the other side; it may say when to come again.
        case busy(retryAfter: Duration?)
        /// The reply frame was full before this operation was looked at.
        case deferred
        /// The shard had not applied the position asked for.
        case behind
        /// No answer came within the attempt.
        case silent
    }

    package enum Decision: Hashable, Sendable {
        case again(at: Instant)
        case giveUp
    }

    package let effect: Effect
    package let deadline: Instant
    /// How long the first attempt waits for an answer; each later one waits twice as long.
    package let attemptTimeout: Duration
    private let seed: UInt64
    private var attempts: UInt64 = 0

    package init(
        _ effect: Effect, deadline: Instant, seed: UInt64,
        attemptTimeout: Duration = ClientLimits.attemptTimeout
    ) {
        self.effect = effect
        self.deadline = deadline
        self.seed = seed
        self.attemptTimeout = attemptTimeout
    }

    /// When an attempt that begins now has waited long enough.
    package func attemptEnd(from now: Instant) -> Instant {
        guard effect != .onceOnly else { return deadline }
        let doubled = attemptTimeout * Int(1 << min(attempts, 6))
        return min(deadline, now.advanced(by: doubled))
    }

    /// How long the other side may keep a message whose answer is waited for so long: less by a
    /// tenth, and by ``ClientLimits/wayBackMin`` where that is not more than half, so that "not
    /// yet" arrives in time, also from a machine that is busy. At least 1.
    package static func keepingMilliseconds(patience: Duration) -> UInt32 {
        let patience = patience.wholeMilliseconds
        let least = min(ClientLimits.wayBackMin.wholeMilliseconds, patience / 2)
        let wayBack = max(patience / 10, least)
        return UInt32(clamping: max(1, patience - wayBack))
    }

    /// An attempt failed: what now?
    package mutating func failed(_ failure: Failure, at now: Instant) -> Decision {
        guard now < deadline else { return .giveUp }
        switch failure {
        case .deferred:
            // Each reply settles at least one operation, so this ends without a pause.
            return .again(at: now)
        case .silent:
            guard effect != .onceOnly else { return .giveUp }
            attempts += 1
            return .again(at: now)
        case .behind:
            guard effect != .onceOnly else { return .giveUp }
            return pause(atLeast: .zero, from: now)
        case .busy(let retryAfter):
            return pause(atLeast: retryAfter ?? .zero, from: now)
        }
    }

    private mutating func pause(atLeast least: Duration, from now: Instant) -> Decision {
        let backOff = min(
            ClientLimits.backOffFirst * Int(1 << min(attempts, 10)), ClientLimits.backOffMax)
        attempts += 1
        // Between half and the whole, so that those who were refused together come back apart.
        let share = StableHash.mix(seed &+ attempts) % 512
        let spread = backOff * Int(512 + share) / 1_024
        let pause = max(least, spread)
        let due = now.advanced(by: pause)
        let answerTime: Duration = effect == .read ? .zero : min(pause, ClientLimits.wayBackMin)
        return due.advanced(by: answerTime) < deadline ? .again(at: due) : .giveUp
    }
}
