/// What a namespace allows and assumes. Every field says what happens at its value.
public struct NamespacePolicy: Hashable, Sendable {
    /// What an entry is worth while its node cannot hear the publisher.
    public enum Suspect: String, CaseIterable, Sendable {
        /// Served, and marked stale.
        case serve
        /// Not served: the answer says that the node is behind.
        case refuse
        /// Not served before the origin has confirmed it: a miss, with a token and the ETag or
        /// version of what is there.
        case revalidate
        /// Served and marked stale within ``NamespacePolicy/suspectWindow``. After it the origin is
        /// asked about each key, at most once a second.
        case serveThenRevalidate = "serve-then-revalidate"
    }

    /// What becomes of a store without token and version.
    public enum BlindSet: String, CaseIterable, Sendable {
        /// Stored, and marked unfenced in every answer.
        case allow
        /// The same, but refused for ``NamespacePolicy/holdOff`` after an invalidation that
        /// covers it.
        case holdOff = "hold-off"
        /// Refused.
        case reject
    }

    /// What holds where nothing is said.
    public static let standard = NamespacePolicy()

    /// How long an entry lives that is stored without a time to live; `nil`: for ever.
    public var timeToLive: Duration?
    /// A longer time to live is cut to this; `nil` cuts nothing.
    public var timeToLiveMax: Duration?
    /// By how much of itself a time to live is cut at most, each entry's by another part, so that
    /// what was stored together does not end together. At most 50 %.
    public var timeToLiveJitter: Percent
    /// A longer value is refused. At most 64 MiB.
    public var valueBytesMax: Int
    public var suspect: Suspect
    /// For how long ``Suspect/serveThenRevalidate`` serves from when the node could last vouch for
    /// its entries.
    public var suspectWindow: Duration
    public var blindSet: BlindSet
    /// See ``BlindSet/holdOff``.
    public var holdOff: Duration
    /// For how long the holder of a fill token is the only one who is told to load.
    public var loadLease: Duration
    /// How long after a soft invalidation an entry may be served to who allows stale values.
    public var staleWindow: Duration
    /// For how long after a change the origin may still hand out the old value, because it is read
    /// from a replica. What is loaded that soon after an invalidation lives no longer than this,
    /// and the invalidation is said once more after it. Zero: the origin never lags.
    public var replicaLag: Duration
    /// What of a node's memory it may have. The same for all namespaces that are not listed:
    /// ``MemoryQuota/standard``.
    public var memory: MemoryQuota
    /// What of a node's disk its records may take; ``Percent/none``: nothing of it is written
    /// there. The same for all namespaces that are not listed: ``Percent/all``.
    public var diskMost: Percent
    /// From where nodes load what is asked for and not there; `nil`: applications fill the cache.
    public var origin: OriginPolicy? {
        get { originBox?.policy }
        set { originBox = newValue.map(OriginBox.init) }
    }
    private var originBox: OriginBox?

    /// Whether nodes load by themselves. Cheaper than asking for the origin.
    public var readsThrough: Bool { originBox != nil }

    public init() {
        timeToLive = nil
        timeToLiveMax = nil
        timeToLiveJitter = .none
        valueBytesMax = 16 << 20
        suspect = .serve
        suspectWindow = .seconds(300)
        blindSet = .allow
        holdOff = .seconds(2)
        loadLease = .seconds(5)
        staleWindow = .seconds(60)
        replicaLag = .zero
        memory = .standard
        diskMost = .all
        originBox = nil
    }
}
