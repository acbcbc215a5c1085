package import ByteCoding
package import CacheModel

/// The party of an event, and its address, as far as they are known.
package struct AuditParty: Hashable, Sendable {
    /// The name of the list's entry; `nil` where access control is off, or the key is in no list.
    package var name: String?
    package var key: PublicKey?
    /// As the socket saw it, without a port; empty where it is not known.
    package var address: String
    /// The issuer that the sender claims to be, or to ask for.
    package var claim: Issuer?
    /// The external request that it acted for, as it claims.
    package var trace: TraceContext?

    package init(_ entry: AccessEntry?, address: String = "") {
        name = entry?.name
        key = entry?.key
        self.address = address
    }
}
