/// Identifies one attempt at one origin. Never used twice by a scheduler; a later attempt has a
/// greater one. The first is 1.
package struct AttemptNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Before every attempt.
    static let none = AttemptNumber(0)
    var next: AttemptNumber { AttemptNumber(rawValue + 1) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
