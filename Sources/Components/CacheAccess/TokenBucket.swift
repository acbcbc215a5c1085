import CacheModel

/// A rate, of which a second's worth may come at once.
///
/// The bucket is the moment at which it would be full again [1]. Something is taken if anything is
/// left, and paid in full: so nothing is too large to be asked, and the rate holds in the long run.
///
/// [1] The generic cell rate algorithm, ITU-T I.371.
struct TokenBucket: Hashable, Sendable {
    private static let secondNanoseconds: UInt64 = 1_000_000_000

    let perSecond: Int
    private var fullAt = Instant(nanoseconds: 0)

    init(perSecond: Int) {
        precondition(
            (1...Allowance.amountMax).contains(perSecond), "a rate is above zero, and a rate")
        self.perSecond = perSecond
    }

    /// How long nothing is left; `nil` if something is.
    func timeUntilSome(now: Instant) -> Duration? {
        let emptyAbove = now.advanced(by: .seconds(1))
        return fullAt < emptyAbove ? nil : fullAt.elapsed(since: emptyAbove) + .nanoseconds(1)
    }

    /// Takes so many of what there is, and of what there will be.
    mutating func take(_ count: Int, now: Instant) {
        let (nanoseconds, overflow) = UInt64(count).multipliedReportingOverflow(
            by: Self.secondNanoseconds)
        let time = overflow ? UInt64(Int64.max) : nanoseconds / UInt64(perSecond)
        fullAt = max(fullAt, now).advanced(by: .nanoseconds(Int64(clamping: time)))
    }
}
