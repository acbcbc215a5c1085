/// Bytes that may be written per second, to limit disk wear: a token bucket of one second's bytes,
/// full at first.
package struct WriteBudget: Equatable, Sendable {
    private let bytesPerSecond: Int
    /// In thousandths of a byte, so that fractions of a millisecond's bytes are not lost. Negative
    /// after a record of more than a second's bytes.
    private var left: Int
    private var filledAt: TierTime

    private static let secondMilliseconds: UInt64 = 1_000
    /// A tebibyte per second is no limit for any disk.
    package static let bytesPerSecondMax = 1 << 40

    /// - Parameter bytesPerSecond: at least 1; capped at ``bytesPerSecondMax``.
    package init(bytesPerSecond: Int, at now: TierTime) {
        precondition(bytesPerSecond > 0, "a write budget is positive: else have no tier")
        self.bytesPerSecond = min(bytesPerSecond, Self.bytesPerSecondMax)
        left = self.bytesPerSecond * Int(Self.secondMilliseconds)
        filledAt = now
    }

    /// Takes so many bytes if available. More than a second's bytes need a full bucket, and leave a
    /// debt.
    package mutating func take(_ bytes: Int, at now: TierTime) -> Bool {
        fill(at: now)
        let wanted = bytes * Int(Self.secondMilliseconds)
        guard left >= min(wanted, bytesPerSecond * Int(Self.secondMilliseconds)) else {
            return false
        }
        left -= wanted
        return true
    }

    private mutating func fill(at now: TierTime) {
        guard now > filledAt else { return }
        let full = bytesPerSecond * Int(Self.secondMilliseconds)
        // The debt is at most one record.
        let (owed, most) = (full - left, UInt64(Int.max / Self.bytesPerSecondMax / 2))
        let milliseconds = Int(min(now.milliseconds - filledAt.milliseconds, most))
        left += min(owed, milliseconds * bytesPerSecond)
        filledAt = now
    }
}
