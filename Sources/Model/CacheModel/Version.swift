/// The writer's order of values under one key.
///
/// Law of order – by number: `1 < 2 < … < 2^64 − 1`. Zero is not a version: none was given. An
/// entry of an older version never replaces one of a newer version of the same key.
public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let none = Version(0)

    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}
