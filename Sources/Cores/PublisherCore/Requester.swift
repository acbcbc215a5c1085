import CacheWire
import CacheAccess

/// The sender of a request, to which its answer is sent.
struct Requester: Hashable {
    let peer: PeerID
    let requestID: UInt64
    /// The principal of its key; unknown if access control is off.
    var principal = PrincipalNumber.unknown
    /// Its name for the audit log; `nil` for requests that are not audited.
    var party: AuditParty?
}
