/// A separate set of keys, tags and prefixes with its own policies. The name has 1 to 64 of `a–z
/// A–Z 0–9 . _ -`.
///
/// On the wire the default namespace is encoded as no bytes at all.
public struct Namespace: Hashable, Sendable, CustomStringConvertible {
    /// Longest name, in bytes.
    public static let bytesMax = 64
    /// The namespace if none is given.
    public static let `default` = Namespace(unchecked: "default")

    public let name: String

    private init(unchecked name: String) {
        self.name = name
    }

    /// - Returns: `nil` if `name` is empty, too long, or has other characters.
    public init?(_ name: String) {
        guard Self.isName(name.utf8) else { return nil }
        self.name = name
    }

    /// Whether these bytes may be the name of a namespace. Allocates nothing.
    public static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        (1...bytesMax).contains(bytes.count) && bytes.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    public var description: String { name }
}
