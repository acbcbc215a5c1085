/// The claimed issuer of an invalidation: 1 to 64 bytes of UTF-8 without control characters.
///
/// It is a claim, for readers of the log; it is not verified, and no decision depends on it.
public struct Issuer: Hashable, Sendable, CustomStringConvertible {
    public static let bytesMax = 64

    public let name: String

    /// - Returns: `nil` if `name` is empty, longer than 64 bytes, or has control characters.
    public init?(_ name: String) {
        guard (1...Self.bytesMax).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.name = name
    }

    /// `name` without control characters, shortened to fit.
    ///
    /// - Returns: `nil` if nothing is left.
    public init?(shortening name: String) {
        var kept = ""
        for character in name where character.unicodeScalars.allSatisfy(Self.isAllowed) {
            guard kept.utf8.count + character.utf8.count <= Self.bytesMax else { break }
            kept.append(character)
        }
        self.init(kept)
    }

    /// A node, which orders the stores of its clients and removes keys for them.
    public init(node: NodeID) {
        name = String("node:\(node.name)".prefix(Self.bytesMax))
    }

    /// The publisher itself, which repeats invalidations that replicas may have missed.
    public static let publisher = Issuer(known: "publisher")

    private init(known name: String) {
        self.name = name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
    }

    public var description: String { name }
}
