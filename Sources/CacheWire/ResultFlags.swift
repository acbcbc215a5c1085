/// Marks on one result.
public struct ResultFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Stored outside of the promise: without the token of a load lease.
    @inlinable package static var unfenced: ResultFlags { ResultFlags(rawValue: 1) }
    /// Stale because the node's lease is over.
    @inlinable package static var suspect: ResultFlags { ResultFlags(rawValue: 2) }
    /// Stale because of a soft invalidation.
    @inlinable package static var soft: ResultFlags { ResultFlags(rawValue: 4) }
    /// Of a HIT that was loaded for this request: an invalidation that was obeyed meanwhile covers
    /// it. Right for who asked before; not to be kept.
    @inlinable package static var overtaken: ResultFlags { ResultFlags(rawValue: 8) }
    /// Of a MISS: the origin says that there is no such value.
    @inlinable package static var negative: ResultFlags { ResultFlags(rawValue: 16) }
    /// Of a STORED or REMOVED: the node has the write in its queue, durably, and the origin will be
    /// told.
    @inlinable package static var queued: ResultFlags { ResultFlags(rawValue: 32) }
    /// Of a STALE: the namespace lets it stand in place of a load.
    @inlinable package static var tolerated: ResultFlags { ResultFlags(rawValue: 64) }
}
