public import CacheModel

/// Options of a read.
public struct ReadOptions: Hashable, Sendable {
    /// Answer only from a shard that has applied this position. `nil` demands no more than the
    /// session does.
    public var atLeast: LogPosition?
    /// The cluster of ``atLeast``; none if unknown. A read in another cluster is refused:
    /// ``CacheError/Code/invalidArgument``.
    public var atLeastCluster = ClusterID.none
    /// A strong read. The node asks the publisher for its head and waits until it has applied it.
    /// Then it answers with a fresh value or with none. So the answer reflects every invalidation
    /// with a receipt from before the call. It costs a round trip to the publisher, shared by
    /// concurrent strong reads. The read fails with ``CacheError/Code/behind`` while the publisher
    /// is unreachable.
    public var isFresh = false
    /// Whether to return a stale value that the namespace's policy would withhold.
    public var allowsStale = false
    /// Where the answer may come from, in a namespace with an origin; `nil` uses the policy of the
    /// namespace.
    public var policy: ReadPolicy?
    /// Greatest age of a fresh value: an older one is loaded anew, or counts as stale.
    public var maxAge: Duration?
    /// Longest time past its lifetime that a value may be used. Wins over the stale windows of the
    /// namespace.
    public var maxStale: Duration?
    /// Ask only this node, whether it owns the key or not. `nil` asks the owner, or in a
    /// replicated topology the near node.
    public var node: NodeID?
    /// Whether to return version, ETag, tags and fill position.
    public var wantsDetails = false
    /// Whether an unreachable shard counts as a miss. Otherwise the read throws
    /// ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public var treatsUnreachableAsMiss = false
    /// The external request that this read is for: nodes write it to their logs and send it to
    /// origins. `nil`: none. Reads with a trace share no messages with others.
    public var trace: TraceContext?
    /// Timeout of the call; `nil` is the timeout of the client.
    public var timeout: Duration?

    public init() {}

    /// Whether the fast path of a get supports these options.
    var isPlain: Bool {
        atLeast == nil && !isFresh && policy == nil && maxAge == nil && maxStale == nil
            && node == nil && trace == nil
    }
}
