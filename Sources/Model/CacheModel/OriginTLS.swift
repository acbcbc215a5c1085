/// The files of a node with the authorities that it trusts over TLS, and with its own certificate
/// and key. Each is PEM, named relative to the node's directory of secrets.
public struct OriginTLS: Hashable, Sendable {
    /// Certificates of authorities that are trusted in addition to the system's own.
    public var authority: String?
    /// The node's own certificate, then those up to its authority; requires `key`.
    public var certificate: String?
    public var key: String?

    public init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }
}
