/// A section of an invalidation log. A publisher that starts without its old log starts a greater
/// epoch. Zero means that no log is known yet.
public struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let none = Epoch(0)

    public let rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The epoch after this one.
    ///
    /// - Precondition: this is not the last of four thousand million.
    public var next: Epoch {
        precondition(rawValue < .max, "an epoch travels in four bytes")
        return Epoch(rawValue + 1)
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}
