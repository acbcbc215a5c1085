package import CacheAccess

/// Something for the audit log, and whose message it was: the shell knows from where that came.
package struct ShardAuditNote: Hashable, Sendable {
    /// `nil` where it is about several messages.
    package let peer: PeerID?
    package var event: AuditEvent
}
