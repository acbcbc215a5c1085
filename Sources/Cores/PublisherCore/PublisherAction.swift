package import CacheWire
package import CacheAccess
package import CacheInvalidation

/// Actions of the core, to be performed in order. There are no other effects.
package enum PublisherAction: Hashable, Sendable {
    /// Send one frame to one peer of the control channel, if its key is of this principal. A peer
    /// that is gone or slow loses the frame.
    case reply(PeerID, [UInt8], of: PrincipalNumber)
    /// Send one frame to every subscriber of the live channel.
    case broadcast([UInt8])
    /// Store these bytes beside the log in place of the previous ones, and report the outcome to
    /// ``PublishingCore/kept(_:now:into:)``. One at a time.
    case keep([UInt8])
    /// Store these bytes, the last runs of each node, in the same way in a file of their own, and
    /// report to ``PublishingCore/livesKept(_:isGone:now:into:)``. If they cannot be stored, remove
    /// the previous ones. One at a time.
    case keepLives([UInt8])
    /// Store these bytes, the owners of slots, in the same way in a file of their own, and report
    /// to ``PublishingCore/slotsKept(_:now:)``. One at a time.
    case keepSlots([UInt8])
    /// Store the identity of the cluster beside the log. If that fails, the nodes still know it.
    case keepCluster(KeptCluster)
    /// Prove that this publisher leads the log, by a read that begins now, and report it to
    /// ``PublishingCore/confirmed(_:now:into:)``. Only if the log is shared.
    case confirm(UInt64)
    /// Give the leadership up: an operator asks for it. Only if the log is shared.
    case stepDown
    /// Write this event to the audit log. Only if ``PublishingCore/isAudited``.
    case audit(AuditEvent)
}
