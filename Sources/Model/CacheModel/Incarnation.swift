/// One run of a node. A restart is a new one; drawn at random at start, never zero.
public struct Incarnation: Hashable, Sendable {
    /// No run of any node.
    public static let none = Incarnation(0)

    public let rawValue: UInt64

    @inlinable
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
