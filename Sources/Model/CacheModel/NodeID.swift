/// A node's name in the configuration: 1 to 64 of `a–z A–Z 0–9 . _ -`.
public struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let name: String

    /// - Returns: `nil` if `name` is empty, longer than 64 bytes, or has other characters.
    public init?(_ name: String) {
        guard Namespace.isName(name.utf8) else { return nil }
        self.name = name
    }

    /// Stands for nodes of unknown names.
    package static let unnamed = NodeID(known: "unknown-node")

    private init(known name: String) { self.name = name }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.name < rhs.name }

    public var description: String { name }
}
