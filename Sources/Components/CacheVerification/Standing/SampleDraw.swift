import ByteCoding
import CacheModel

/// Decides which invalidated keys are sampled: by a hash of their place in the log, so that
/// checkers that share the work decide alike, and by a rate.
struct SampleDraw: Sendable {
    private let plan: StandingPlan
    /// Samples that may be taken now; at most those of a second.
    private var allowance: Double
    private var refilledAt: Instant?

    init(_ plan: StandingPlan) {
        self.plan = plan
        if case .perSecond(let rate) = plan.amount {
            allowance = Double(rate)
        } else {
            allowance = 0
        }
    }

    /// Whether another part of the checkers takes it.
    func isElsewhere(_ position: LogPosition, _ number: Int) -> Bool {
        hash(position, number) % UInt64(plan.parts) != UInt64(plan.part - 1)
    }

    /// Whether to sample key number `number` of the record at that position.
    mutating func takes(_ position: LogPosition, _ number: Int, at now: Instant) -> Bool {
        switch plan.amount {
        case .share(let share):
            // Uses other bits than the choice of the part.
            return Double(StableHash.mix(~hash(position, number))) < share * 0x1p64
        case .perSecond(let rate):
            refill(Double(rate), at: now)
            guard allowance >= 1 else { return false }
            allowance -= 1
            return true
        }
    }

    private mutating func refill(_ rate: Double, at now: Instant) {
        let elapsed = refilledAt.map { now.elapsed(since: $0) } ?? .zero
        refilledAt = max(now, refilledAt ?? now)
        allowance = min(rate, allowance + rate * Double(elapsed.wholeNanoseconds) / 1e9)
    }

    private func hash(_ position: LogPosition, _ number: Int) -> UInt64 {
        let place = StableHash.mix(position.sequence.rawValue &+ plan.seed)
        return StableHash.mix(
            place ^ UInt64(position.epoch.rawValue) << 32 ^ UInt64(truncatingIfNeeded: number))
    }
}
