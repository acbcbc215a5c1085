/// The identity of a client or a server: the public half of a key pair on Curve25519.
///
/// 32 bytes, written as 64 hexadecimal digits. It is no secret; its holder proves the identity by
/// the other half.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    public static let byteCount = 32

    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// - Returns: `nil` unless `text` is 64 hexadecimal digits.
    public init?(_ text: String) { self.init(text[...]) }

    /// - Returns: `nil` unless `text` is 64 hexadecimal digits.
    public init?(_ text: Substring) {
        guard let bytes = HexText.bytes(of: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// All 64 digits.
    public var description: String { HexText.text(of: bytes) }

    /// The first 16 digits: enough to tell keys apart in a log, not to trust one.
    public var fingerprint: String { String(description.prefix(16)) }
}
