/// The number of a public key inside one process: given by its gatekeeper in the order in which
/// keys appear, and never given again.
public struct PrincipalNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A peer without a key that was checked.
    public static let unknown = PrincipalNumber(rawValue: 0)
}
