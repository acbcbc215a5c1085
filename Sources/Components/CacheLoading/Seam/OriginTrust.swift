/// The contents of a node's TLS files for one namespace's origin: PEM, as read.
package struct OriginTrust: Equatable, Sendable {
    package var authority: [UInt8]?
    /// Requires `key`.
    package var certificate: [UInt8]?
    package var key: [UInt8]?

    package init(authority: [UInt8]? = nil, certificate: [UInt8]? = nil, key: [UInt8]? = nil) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }
}
