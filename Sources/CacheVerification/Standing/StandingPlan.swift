package import CacheModel

/// What a ``StandingCheck`` looks at, and when.
package struct StandingPlan: Hashable, Sendable {
    /// How many of the invalidated keys are sampled.
    package enum Amount: Hashable, Sendable {
        /// At most so many a second.
        case perSecond(Int)
        /// That share of all, above 0 and up to 1.
        case share(Double)
    }

    package var amount = Amount.perSecond(100)
    /// How long after an invalidation was heard nodes are asked; rising.
    package var delays: [Duration] = [.seconds(1), .seconds(10), .seconds(60)]
    /// After so long no node may call fresh what it has not heard is invalidated: the lease, and
    /// what clocks may differ by.
    package var leaseBound: Duration
    /// Only this namespace; `nil` for all.
    package var namespace: Namespace?
    /// This is part `part` of `parts`, from 1. Checkers with the same seed and other parts never
    /// take the same samples, and together take all.
    package var part = 1
    package var parts = 1
    package var seed: UInt64 = 0
    package var origins = OriginPlan.none

    package init(leaseBound: Duration) {
        self.leaseBound = leaseBound
    }

    /// What nodes may take beyond their lease: one part in a hundred.
    package static func leaseBound(lease: Duration) -> Duration { lease + lease / 100 }
}
