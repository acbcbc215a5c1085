/// The secret half of a key pair: 32 bytes that are shown to libzmq and to the file that keeps
/// them, and never printed.
public struct CurveSecretKey: Sendable, CustomStringConvertible, CustomReflectable {
    public static let byteCount = 32

    /// For libzmq, and for the file that keeps it.
    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    public var description: String { "a secret key" }
    /// Nothing: a dump of what holds it shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
