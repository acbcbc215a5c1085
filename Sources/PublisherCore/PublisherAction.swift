package import CacheAccess
package import CacheInvalidation

/// What the mind wants done, in this order. There is nothing else it can want.
package enum PublisherAction: Hashable, Sendable {
    /// Send one frame to one peer of the control channel, where it has shown that key. A peer that
    /// is gone or slow loses it.
    case reply(PeerID, [UInt8], of: PrincipalNumber)
    /// Send one frame to everybody on the live channel.
    case broadcast([UInt8])
    /// Keep these bytes beside the log, in place of what was kept before, and tell
    /// ``PublisherMind/kept(_:now:into:)`` what became of it. One at a time.
    case keep([UInt8])
    /// Keep these bytes, whose life of each node was the last, in the same way and apart from
    /// those, and tell ``PublisherMind/livesKept(_:isGone:now:into:)``. Where they cannot be kept,
    /// what was kept before is removed. One at a time.
    case keepLives([UInt8])
    /// Keep beside the log that this is the cluster. If that fails, the nodes know it.
    case keepCluster(KeptCluster)
    /// Write this into the audit log. Only where ``PublisherMind/isAudited``.
    case audit(AuditEvent)
}
