package import CacheModel

/// The keys that a ``StandingCheck`` samples, and its delays.
package struct StandingPlan: Hashable, Sendable {
    /// How many of the invalidated keys are sampled.
    package enum Amount: Hashable, Sendable {
        /// At most this many a second.
        case perSecond(Int)
        /// This share of all keys, above 0 and up to 1.
        case share(Double)
    }

    package var amount = Amount.perSecond(100)
    /// Delays from the arrival of an invalidation to the looks; ascending.
    package var delays: [Duration] = [.seconds(1), .seconds(10), .seconds(60)]
    /// After this time no node may serve as fresh what an unheard invalidation covers: the lease,
    /// plus the difference of clocks.
    package var leaseBound: Duration
    /// Only this namespace; `nil` for all.
    package var namespace: Namespace?
    /// This is part `part` of `parts`, from 1. Checkers with the same seed and different parts
    /// never take the same samples, and together take all of them.
    package var part = 1
    package var parts = 1
    package var seed: UInt64 = 0
    package var origins = OriginPlan.none

    package init(leaseBound: Duration) {
        self.leaseBound = leaseBound
    }

    /// The lease, plus one percent for clocks.
    package static func leaseBound(lease: Duration) -> Duration { lease + lease / 100 }
}
