public import CacheAccess
public import CacheWire

/// One request in its frame. Valid for the turn it belongs to.
public struct RequestFrame {
    @usableFromInline package var peer: PeerID
    @usableFromInline package var bytes: UnsafeRawBufferPointer
    /// The principal of the sender's key pair.
    @usableFromInline package var principal: PrincipalNumber

    @inlinable
    package init(
        peer: PeerID, bytes: UnsafeRawBufferPointer, principal: PrincipalNumber = .unknown
    ) {
        self.peer = peer
        self.bytes = bytes
        self.principal = principal
    }
}
