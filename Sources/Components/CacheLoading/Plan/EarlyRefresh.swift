package import CacheModel

/// When a value is refreshed while it is still fresh, so that no reader has to wait for it later.
///
/// Two rules, either of which suffices. *A share of the lifetime*: its last part. *At random, with
/// a probability that grows towards the end* [1]: each hit draws a number, and the value is
/// refreshed if its remaining lifetime is less than the draw times the duration of a load. For a
/// key that is often requested one of the last hits is chosen, a different one in each node; a key
/// that is seldom requested expires.
///
/// [1] Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention,
///     VLDB 2015. There −β ln(u) with β = 1; here −log2(u) by the leading zeros of the draw and
///     linear interpolation, which is β = 1.44 and needs no logarithm.
package struct EarlyRefresh: Equatable, Sendable {
    package var share: Percent
    /// The duration of a load, as far as known.
    package var loadDuration: Duration

    package init(share: Percent, loadDuration: Duration) {
        self.share = share
        self.loadDuration = loadDuration
    }

    /// The remaining lifetime in nanoseconds from which on the second rule never applies: no draw
    /// is above 64.
    package static func nearest(_ loadDuration: Duration) -> UInt64 {
        let (nearest, overflow) = loadDuration.wholeNanoseconds
            .addingReportingOverflow(1).partialValue.multipliedReportingOverflow(by: 64)
        return overflow ? .max : nearest
    }

    /// Whether the first rule may apply: never false if it does.
    package static func isNear(left: UInt64, age: Duration, share: Percent) -> Bool {
        left <= UInt64(share.of(Int(clamping: age.wholeNanoseconds &+ left))) &+ 100
    }

    /// - Parameters:
    ///   - left: remaining lifetime.
    ///   - draw: uniform over all numbers.
    package func isDue(left: Duration, of lifetime: Duration, draw: UInt64) -> Bool {
        let leftNanoseconds = left.wholeNanoseconds
        let part = UInt64(share.of(Int(clamping: lifetime.wholeNanoseconds)))
        if leftNanoseconds < part { return true }
        let load = loadDuration.wholeNanoseconds
        // No draw is above 64, so most hits end here.
        guard leftNanoseconds >> 6 < load else { return false }
        return Double(leftNanoseconds) < Self.exponential(draw) * Double(load)
    }

    /// −log2 of a number drawn from (0, 1].
    static func exponential(_ draw: UInt64) -> Double {
        let zeros = draw.leadingZeroBitCount
        guard zeros < 64 else { return 64 }
        let fraction = Double(draw << UInt64(zeros) & (1 << 63 - 1)) / Double(UInt64(1) << 63)
        return Double(zeros) + 1 - fraction
    }
}
