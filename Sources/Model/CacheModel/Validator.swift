/// An opaque token for the question "is mine still current?": 1 to 255 bytes, of which the first is
/// not zero. The ETag at the HTTP edge.
public struct Validator: Hashable, Sendable, CustomStringConvertible {
    /// Longest validator, in bytes.
    public static let bytesMax = 255

    public let bytes: [UInt8]

    /// - Returns: `nil` unless `bytes` holds 1 to 255 bytes, of which the first is not zero.
    public init?(bytes: [UInt8]) {
        guard (1...Self.bytesMax).contains(bytes.count), bytes.first != 0 else { return nil }
        self.bytes = bytes
    }

    /// The validator with the UTF-8 of `text` as its bytes; `nil` unless that is 1 to 255 bytes.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
