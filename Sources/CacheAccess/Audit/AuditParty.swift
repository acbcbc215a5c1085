package import ByteCoding
package import CacheModel

/// Who did something, and from where, as far as it is known.
package struct AuditParty: Hashable, Sendable {
    /// The name of the list's entry; `nil` where nobody is asked, or the key is in no list.
    package var name: String?
    package var key: PublicKey?
    /// As the socket saw it, without a port; empty where it is not known.
    package var address: String
    /// Who the sender says that it is, or asks for.
    package var claim: Issuer?
    /// Which request of the outside it did it for, as it says.
    package var trace: TraceContext?

    package init(_ entry: AccessEntry?, address: String = "") {
        name = entry?.name
        key = entry?.key
        self.address = address
    }
}
