public import CacheModel

/// What one node knows of a key, and why a read would show it or would not.
public struct KeyExplanation: Hashable, Sendable {
    /// What a read that allows nothing stale would come to.
    public enum Verdict: String, CaseIterable, Hashable, Sendable {
        case fresh
        case absent
        case expired
        /// A hard invalidation covers it; its memory is given back when it is next met.
        case invalidated
        /// A soft invalidation covers it: shown to who allows stale values, for the window.
        case soft
        /// What happened since it was filled is not known: hidden until the origin confirms it.
        case withheld
        /// The same, and it has no ETag or version to ask the origin by: it leaves when next met.
        case forgotten
        /// The node has no lease, and shows it as stale.
        case suspectServed
        /// The node has no lease, and says that it is behind.
        case suspectRefused
        /// The node has no lease, and lets the reader ask the origin.
        case suspectHidden
    }

    /// What is there, shown or not.
    public struct Entry: Hashable, Sendable {
        public var valueBytes: Int
        /// What it takes of the node's memory, with everything around it.
        public var chargedBytes: Int
        public var version: Version
        public var etag: Validator?
        public var tags: [Tag]
        public var representation = Representation()
        /// Since it was stored or confirmed.
        public var age: Duration
        /// Time left; `nil` never expires.
        public var timeToLive: Duration?
        /// How long a soft invalidation has covered it; `nil` if none does.
        public var staleFor: Duration?
        /// It was read at or after this position; `nil` if in a log that was left since.
        public var filled: LogPosition?
        /// Stored without a token.
        public var isUnfenced: Bool
    }

    /// A scope that covers the key, and how far it was invalidated.
    public struct Floor: Hashable, Sendable {
        public enum Cover: Hashable, Sendable {
            case key
            /// Its bytes; empty where too many tags share what is known of them.
            case tag([UInt8])
            case prefix([UInt8])
            case namespace
            case everything
            /// No invalidation: before this place the node does not know what happened.
            case history
        }

        public var cover: Cover
        /// `nil` where there was none that counts, or it was in a log that was left since.
        public var hard: LogPosition?
        public var soft: LogPosition?
        /// Values of lesser versions are refused.
        public var minimumVersion: Version
        /// It is what hides the entry, or makes it stale. Where no entry is there: what took away
        /// the last one, if the node remembers it.
        public var isAboveEntry: Bool
    }

    public var node: NodeID
    public var verdict: Verdict
    public var state: NodeState
    /// What the shard has obeyed.
    public var applied: LogPosition
    /// For how long entries may still be called fresh; `nil`: not at all.
    public var leaseLeft: Duration?
    /// For how long somebody has the right to load the key; `nil` if nobody has.
    public var loadLeft: Duration?
    /// Tokens from before it are refused; `nil` if none are.
    public var tokenBase: LogPosition?
    public var entry: Entry?
    /// From the widest scope to the narrowest. Only what was invalidated, and still has to be
    /// remembered, is listed.
    public var floors: [Floor]
}
