/// The purpose of a socket: the ``ZAPHandler`` receives it at each handshake, so that it may admit
/// a key at one socket and refuse it at another. 1 to 255 bytes.
public struct ZAPDomain: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        precondition((1...255).contains(rawValue.utf8.count), "ZAP needs a domain")
        self.rawValue = rawValue
    }

    /// The domain of sockets without another.
    public static let unspecified = ZAPDomain(rawValue: "unspecified")
}
