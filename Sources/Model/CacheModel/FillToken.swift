/// Returned with a miss; a fenced store must present it.
///
/// It proves that the origin was read *after* the issuing shard had applied `position`. A store is
/// admitted only if that position is at or above every floor of its key, tags, prefixes and
/// namespace at the time of the store; so a value read before an invalidation can never be stored
/// after it.
public struct FillToken: Hashable, Sendable {
    public var position: LogPosition
    /// The run of the node that issued it. ``Incarnation/none`` if the position comes from another
    /// source, as in a store that is copied to other replicas.
    public var incarnation: Incarnation
    /// Identifies the load lease at the issuer; zero for none.
    public var nonce: UInt64

    @inlinable
    public init(position: LogPosition, incarnation: Incarnation, nonce: UInt64) {
        self.position = position
        self.incarnation = incarnation
        self.nonce = nonce
    }
}
