/// For what a socket is: told to the ``ZAPHandler`` at each handshake, so that it may let one key
/// in here and not there. 1 to 255 bytes.
public struct ZAPDomain: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        precondition((1...255).contains(rawValue.utf8.count), "libzmq asks nobody without a domain")
        self.rawValue = rawValue
    }

    /// Of sockets that were not told another.
    public static let unspecified = ZAPDomain(rawValue: "unspecified")
}
