import CacheInvalidation
import CacheModel

/// A lease that is another one at each start of the publisher.
///
/// All chance here is of dice of their own.
extension World {
    /// How many of a thousand seeds have it.
    static let leasesPerMille = 300

    static func leaseDice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0xA24B_AED4_963E_E407 ^ 2)
    }

    /// A start of the publisher reads its configuration.
    func drawLease() {
        guard settings.leaseChanges else { return }
        let longest = settings.leaseMilliseconds
        leaseMilliseconds = leaseDice.pick([longest / 3, longest])
        note(.publisher, "finds a lease of milliseconds", leaseMilliseconds)
    }

    /// What the stamp may say at the end of a publisher: by then no run can hold a longer lease of
    /// an earlier one.
    var leaseToStamp: UInt32? {
        let inherited = Duration.milliseconds(Int64(settings.leaseMilliseconds))
        let since = publisher.clock.reading(at: now).elapsed(since: publisher.startedAt)
        return since >= InvalidationLimits.grant(for: inherited) ? UInt32(leaseMilliseconds) : nil
    }
}
