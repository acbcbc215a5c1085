/// A time on a tier's own clock: milliseconds since its creation, across restarts of the process.
///
/// Choice 6 of docs/decisions/0033: calendar steps do not affect it.
package struct TierTime: Hashable, Comparable, Sendable {
    /// Maximum of 48 bits: nine thousand years.
    package static let max = TierTime(milliseconds: 1 << 48 - 1)

    package let milliseconds: UInt64

    package init(milliseconds: UInt64) {
        precondition(milliseconds < 1 << 48, "a tier's time is kept in 48 bits")
        self.milliseconds = milliseconds
    }

    /// So many milliseconds later, at most ``max``.
    func later(by milliseconds: UInt64) -> TierTime {
        TierTime(milliseconds: min(self.milliseconds + milliseconds, Self.max.milliseconds))
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }
}
