/// A publisher's number of a paced invalidation: 1, 2, 3 … in order of their begin.
public struct PacingID: Hashable, Sendable {
    /// No pacing.
    public static let none = PacingID(0)

    public let rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

extension PacingID: CustomStringConvertible {
    public var description: String { "\(rawValue)" }
}
