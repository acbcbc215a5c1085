public import CacheModel

/// What a read asks for beside the value.
public struct ReadOptions: Hashable, Sendable {
    /// Answer only from a shard that has applied this position. `nil` demands nothing beyond what
    /// the session does.
    public var atLeast: LogPosition?
    /// Of which cluster ``atLeast`` is; none where that is not known. One of another cluster than
    /// is asked is refused: ``CacheError/Code/invalidArgument``.
    public var atLeastCluster = ClusterID.none
    /// A strong read: the node asks the publisher for its head, waits until it has passed it, and
    /// then answers, fresh or not at all. So the answer reflects every invalidation whose receipt
    /// was there before the call. Costs a round trip to the publisher, shared by all who ask
    /// meanwhile; ``CacheError/Code/behind`` while the publisher cannot be reached.
    public var isFresh = false
    /// Whether a stale value is welcome where the namespace's policy would withhold it.
    public var allowsStale = false
    /// What to answer from, in a namespace whose values nodes load from an origin; `nil` leaves it
    /// to the namespace.
    public var policy: ReadPolicy?
    /// What is older is not fresh enough: it is loaded anew, or counts as stale.
    public var maxAge: Duration?
    /// What is past its lifetime by no more is welcome. Wins over the windows of the namespace.
    public var maxStale: Duration?
    /// Ask only this node, whether it owns the key or not. `nil` asks the owner, or in a
    /// replicated topology the near node.
    public var node: NodeID?
    /// Whether version, ETag, tags and fill position are wanted.
    public var wantsDetails = false
    /// Whether a shard that cannot be reached counts as a miss. Otherwise the read throws
    /// ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public var treatsUnreachableAsMiss = false
    /// Which request of the outside this is for: nodes name it where they log, and tell origins.
    /// `nil`: none. Reads with one share no messages with others.
    public var trace: TraceContext?
    /// How long the call may take; `nil` takes the client's own.
    public var timeout: Duration?

    public init() {}

    /// Whether the short way of a get knows what is asked for.
    var isPlain: Bool {
        atLeast == nil && !isFresh && policy == nil && maxAge == nil && maxStale == nil
            && node == nil && trace == nil
    }
}
