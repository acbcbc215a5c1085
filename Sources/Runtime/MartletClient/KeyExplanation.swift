public import CacheModel

/// The state of a key on one node, and why a read would show its value or not.
public struct KeyExplanation: Hashable, Sendable {
    /// The result of a read that allows no stale values.
    public enum Verdict: String, CaseIterable, Hashable, Sendable {
        case fresh
        case absent
        case expired
        /// A hard invalidation covers the entry; its memory is freed at the next access.
        case invalidated
        /// A soft invalidation covers the entry. Reads that allow stale values get it for the stale
        /// window.
        case soft
        /// The node may have missed an invalidation since the fill: hidden until the origin
        /// confirms it.
        case withheld
        /// The same, but without an ETag or version to revalidate with: removed at the next access.
        case forgotten
        /// The node has no lease, and shows it as stale.
        case suspectServed
        /// The node has no lease, and answers that it is behind.
        case suspectRefused
        /// The node has no lease, and lets the reader ask the origin.
        case suspectHidden
    }

    /// The entry in the cache, shown or not.
    public struct Entry: Hashable, Sendable {
        public var valueBytes: Int
        /// Memory that the entry is charged for, bookkeeping included.
        public var chargedBytes: Int
        public var version: Version
        public var etag: Validator?
        public var tags: [Tag]
        public var representation = Representation()
        /// Time since it was stored or confirmed.
        public var age: Duration
        /// Time left; `nil` never expires.
        public var timeToLive: Duration?
        /// How long a soft invalidation has covered it; `nil` if none does.
        public var staleFor: Duration?
        /// The origin was read at or after this position; `nil` if it is in a log that the node has
        /// left.
        public var filled: LogPosition?
        /// Stored without a token.
        public var isUnfenced: Bool
    }

    /// A scope that covers the key, and the position up to which it is invalidated.
    public struct Floor: Hashable, Sendable {
        public enum Cover: Hashable, Sendable {
            case key
            /// The tag; empty if too many tags share this floor.
            case tag([UInt8])
            case prefix([UInt8])
            case namespace
            case everything
            /// No invalidation: the node does not know the log before this position.
            case history
        }

        public var cover: Cover
        /// `nil` if none counts, or if it is in a log that the node has left.
        public var hard: LogPosition?
        public var soft: LogPosition?
        /// Values of lesser versions are refused.
        public var minimumVersion: Version
        /// Whether it hides the entry or makes it stale. Without an entry: whether it removed the
        /// last one, if the node remembers that.
        public var isAboveEntry: Bool
    }

    public var node: NodeID
    public var verdict: Verdict
    public var state: NodeState
    /// The position that the shard has applied.
    public var applied: LogPosition
    /// How long entries may still be served as fresh; `nil`: not at all.
    public var leaseLeft: Duration?
    /// Time left of the load lease on the key; `nil` if no caller holds one.
    public var loadLeft: Duration?
    /// Tokens from before it are refused; `nil` if none are.
    public var tokenBase: LogPosition?
    public var entry: Entry?
    /// From the widest scope to the narrowest. Only scopes with an invalidation that the node must
    /// still remember.
    public var floors: [Floor]
}
