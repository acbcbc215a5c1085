/// A label shared by entries so that they can be invalidated together: 1 to 255 bytes.
public struct Tag: Hashable, Sendable, CustomStringConvertible {
    /// Longest tag, in bytes.
    @inlinable public static var bytesMax: Int { 255 }
    /// Maximum tags on one entry.
    @inlinable public static var perEntryMax: Int { 64 }

    public let bytes: [UInt8]

    /// - Returns: `nil` unless `bytes` holds 1 to 255 bytes.
    public init?(bytes: [UInt8]) {
        guard (1...Self.bytesMax).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// The tag with the UTF-8 of `text` as its bytes; `nil` unless that is 1 to 255 bytes.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
