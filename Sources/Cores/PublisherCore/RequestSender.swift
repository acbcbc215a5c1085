package import CacheAccess
import CacheModel
package import CacheWire

/// The sender of a message, as the control channel knows it.
package struct RequestSender {
    package let peer: PeerID
    /// The principal of its key; unknown if access control is off.
    package let principal: PrincipalNumber
    /// The address of its connection, for the audit log; empty if unknown.
    package let address: String
    /// When its message arrived, if that has waited for a confirmation since.
    var heldSince: Instant?

    package init(
        _ peer: PeerID, principal: PrincipalNumber = .unknown, address: String = ""
    ) {
        self.peer = peer
        self.principal = principal
        self.address = address
    }
}
