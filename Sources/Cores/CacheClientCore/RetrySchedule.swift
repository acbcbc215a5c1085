import ByteCoding
package import CacheModel
package import CacheWire

/// Whether and when one operation is retried.
///
/// | what happened | a read | once only | repeatable |
/// |---|---|---|---|
/// | BUSY, DEFERRED: certainly not done | retry | retry | retry |
/// | BEHIND: the shard is catching up | retry | – | retry |
/// | silence: perhaps done | retry | give up | retry |
///
/// *Once only* are stores, removals and new times to live: a blind retry could undo the change of
/// another client in between. *Repeatable* operations carry an operation id.
///
/// A change is retried after a pause only if time is left for its answer. That time is the length
/// of the pause or ``ClientLimits/wayBackMin``, whichever is shorter. An attempt at the last moment
/// would get no answer, and leave in doubt a change that was certainly not made.
///
/// Sans-I/O: the caller passes the time, and a seed that spreads the pauses.
package struct RetrySchedule: Sendable {
    package enum Effect: Hashable, Sendable {
        case read
        case onceOnly
        case repeatable
    }

    package enum Failure: Hashable, Sendable {
        /// A bound was reached at the other side; it may say how long to wait.
        case busy(retryAfter: Duration?)
        /// The reply frame was full before the shard executed this operation.
        case deferred
        /// The shard had not applied the position asked for.
        case behind
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
        _ effect: Effect, deadline: Instant, seed: UInt64 = 0,
        attemptTimeout: Duration = ClientLimits.attemptTimeout
    ) {
        self.effect = effect
        self.deadline = deadline
        self.seed = seed
        self.attemptTimeout = attemptTimeout
    }

    package func attemptEnd(from now: Instant) -> Instant {
        guard effect != .onceOnly else { return deadline }
        let doubled = attemptTimeout * Int(1 << min(attempts, 6))
        return min(deadline, now.advanced(by: doubled))
    }

    /// How long the other side may hold a request that the client awaits for `patience`, and at
    /// least one millisecond. The reserve is a tenth of `patience`, or if longer, the shorter of
    /// ``ClientLimits/wayBackMin`` and half of `patience`. So "not yet" arrives in time, also from
    /// a busy machine.
    package static func keepingMilliseconds(patience: Duration) -> UInt32 {
        let patience = patience.wholeMilliseconds
        let least = min(ClientLimits.wayBackMin.wholeMilliseconds, patience / 2)
        let wayBack = max(patience / 10, least)
        return UInt32(clamping: max(1, patience - wayBack))
    }

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
        // Between half and the whole, so that requests refused together are retried apart.
        let share = StableHash.mix(seed &+ attempts) % 512
        let spread = backOff * Int(512 + share) / 1_024
        let pause = max(least, spread)
        let due = now.advanced(by: pause)
        let answerTime: Duration = effect == .read ? .zero : min(pause, ClientLimits.wayBackMin)
        return due.advanced(by: answerTime) < deadline ? .again(at: due) : .giveUp
    }
}

extension RetrySchedule.Failure {
    /// The failure in an answer that does not end the operation; `nil` if the answer ends it.
    package init?(_ status: ResultStatus?, detail: UInt8, retryAfter: Duration?) {
        switch status {
        case .busy: self = .busy(retryAfter: retryAfter)
        case .deferred: self = .deferred
        case .behind where detail == BehindReason.position.rawValue: self = .behind
        // A repeated request joins the load that is under way.
        case .failed where detail == LoadFailure.stillLoading.rawValue: self = .silent
        default: return nil
        }
    }
}
