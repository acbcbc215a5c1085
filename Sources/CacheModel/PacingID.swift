/// The number by which a publisher knows a paced invalidation: 1, 2, 3 … as they are begun.
public struct PacingID: Hashable, Sendable {
    /// None of them.
    public static let none = PacingID(0)

    public let rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

extension PacingID: CustomStringConvertible {
    public var description: String { "\(rawValue)" }
}
