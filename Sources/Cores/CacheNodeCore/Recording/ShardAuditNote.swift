package import CacheWire
package import CacheAccess

/// An event for the audit log, and the peer of its message: the shell knows its address.
package struct ShardAuditNote: Hashable, Sendable {
    /// `nil` if it is about several messages.
    package let peer: PeerID?
    package var event: AuditEvent
}
