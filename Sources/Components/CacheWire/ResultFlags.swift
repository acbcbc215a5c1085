/// Flags of one result.
public struct ResultFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Stored without the token of a load lease, so outside of the guarantee.
    @inlinable package static var unfenced: ResultFlags { ResultFlags(rawValue: 1) }
    /// Stale because the node's lease is over.
    @inlinable package static var suspect: ResultFlags { ResultFlags(rawValue: 2) }
    /// Stale because of a soft invalidation.
    @inlinable package static var soft: ResultFlags { ResultFlags(rawValue: 4) }
    /// Of a HIT that was loaded for this request: an invalidation applied meanwhile covers it.
    /// Correct for a reader that asked before; must not be stored.
    @inlinable package static var overtaken: ResultFlags { ResultFlags(rawValue: 8) }
    /// Of a MISS: the origin says that there is no such value.
    @inlinable package static var negative: ResultFlags { ResultFlags(rawValue: 16) }
    /// Of a STORED or REMOVED: the write is durable in the node's queue and will be sent to the
    /// origin.
    @inlinable package static var queued: ResultFlags { ResultFlags(rawValue: 32) }
    /// Of a STALE: the namespace permits it in place of a load.
    @inlinable package static var tolerated: ResultFlags { ResultFlags(rawValue: 64) }
}
