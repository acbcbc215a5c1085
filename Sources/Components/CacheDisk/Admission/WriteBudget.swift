/// How many bytes may be written in a second, so that a disk lasts: a bucket that holds one
/// second's, full at first.
package struct WriteBudget: Equatable, Sendable {
    private let bytesPerSecond: Int
    /// In thousandths of a byte, so that no part of a millisecond's is lost. Less than nothing
    /// after a record of more than a second's.
    private var left: Int
    private var filledAt: TierTime

    private static let secondMilliseconds: UInt64 = 1_000
    /// A tebibyte a second is no limit to any disk.
    package static let bytesPerSecondMax = 1 << 40

    /// - Parameter bytesPerSecond: at least 1; what is more than ``bytesPerSecondMax`` counts as
    ///   that.
    package init(bytesPerSecond: Int, at now: TierTime) {
        precondition(bytesPerSecond > 0, "a budget of nothing admits nothing: have no tier")
        self.bytesPerSecond = min(bytesPerSecond, Self.bytesPerSecondMax)
        left = self.bytesPerSecond * Int(Self.secondMilliseconds)
        filledAt = now
    }

    /// Takes that many bytes, if there are. What is more than a second's needs a full bucket, and
    /// is paid off afterwards.
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
        // A debt is that of one record at most.
        let (owed, most) = (full - left, UInt64(Int.max / Self.bytesPerSecondMax / 2))
        let milliseconds = Int(min(now.milliseconds - filledAt.milliseconds, most))
        left += min(owed, milliseconds * bytesPerSecond)
        filledAt = now
    }
}
