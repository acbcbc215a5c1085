import CacheInvalidation
import CacheModel

/// A different lease at each start of the publisher.
///
/// All random choices here use a separate generator.
extension World {
    /// How many of a thousand seeds have different leases.
    static let leasesPerMille = 300

    static func leaseDice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0xA24B_AED4_963E_E407 ^ 2)
    }

    /// Draws the lease in the configuration at a start of the publisher.
    func drawLease() {
        guard settings.leaseChanges else { return }
        let longest = settings.leaseMilliseconds
        leaseMilliseconds = leaseDice.pick([longest / 3, longest])
        note(.publisher, "finds a lease of milliseconds", leaseMilliseconds)
    }

    /// The lease to write to the stamp at the end of a publisher; `nil` if a run may still hold a
    /// longer lease of an earlier one.
    var leaseToStamp: UInt32? {
        let inherited = Duration.milliseconds(Int64(settings.leaseMilliseconds))
        let since = publisher.clock.reading(at: now).elapsed(since: publisher.startedAt)
        return since >= InvalidationLimits.grant(for: inherited) ? UInt32(leaseMilliseconds) : nil
    }
}
