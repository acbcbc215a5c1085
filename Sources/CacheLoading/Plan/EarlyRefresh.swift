package import CacheModel

/// When a value is loaded anew although it is still fresh, so that nobody has to wait for it later.
///
/// Two rules, of which either suffices. *A share of the lifetime*: its last part. *By chance, the
/// likelier the nearer the end* [1]: each hit draws, and the value is refreshed if what is left of
/// its lifetime is less than the draw times how long a load takes. Of a key that is asked for often
/// one of the hits in the last moments is chosen, in each node another; one that is asked for
/// seldom is left to end.
///
/// [1] Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention,
///     VLDB 2015. There −β ln(u) with β = 1; here −log2(u) by the leading zeros of the draw and a
///     line between, which is β = 1.44 and needs no logarithm.
package struct EarlyRefresh: Equatable, Sendable {
    package var share: Percent
    /// How long a load takes, as far as is known.
    package var loadDuration: Duration

    package init(share: Percent, loadDuration: Duration) {
        self.share = share
        self.loadDuration = loadDuration
    }

    /// The least that has to be left, in nanoseconds, so that the second rule never holds: no draw
    /// is above 64.
    package static func nearest(_ loadDuration: Duration) -> UInt64 {
        let (nearest, overflow) = loadDuration.wholeNanoseconds
            .addingReportingOverflow(1).partialValue.multipliedReportingOverflow(by: 64)
        return overflow ? .max : nearest
    }

    /// Whether the first rule may hold: never false where it does.
    package static func isNear(left: UInt64, age: Duration, share: Percent) -> Bool {
        left <= UInt64(share.of(Int(clamping: age.wholeNanoseconds &+ left))) &+ 100
    }

    /// - Parameters:
    ///   - left: of the lifetime.
    ///   - draw: evenly distributed over all numbers.
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
