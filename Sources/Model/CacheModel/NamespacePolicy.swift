/// The policy of a namespace. Every field states the effect of its value.
public struct NamespacePolicy: Hashable, Sendable {
    /// How entries are served while their node cannot hear the publisher.
    public enum Suspect: String, CaseIterable, Sendable {
        /// Served, and marked stale.
        case serve
        /// Not served: the answer says that the node is behind.
        case refuse
        /// Not served until the origin has confirmed it: a miss, with a token and the ETag or
        /// version of the entry.
        case revalidate
        /// Served and marked stale within ``NamespacePolicy/suspectWindow``. After it the origin is
        /// asked about each key, at most once a second.
        case serveThenRevalidate = "serve-then-revalidate"
    }

    /// The treatment of a store without token and version.
    public enum BlindSet: String, CaseIterable, Sendable {
        /// Stored, and marked unfenced in every answer.
        case allow
        /// The same, but refused for ``NamespacePolicy/holdOff`` after an invalidation that
        /// covers it.
        case holdOff = "hold-off"
        /// Refused.
        case reject
    }

    /// The policy if nothing is configured.
    public static let standard = NamespacePolicy()

    /// The policy of a node that does not know its configuration yet: what it holds may belong to a
    /// namespace that refuses to serve it unconfirmed, so nothing is served that the origin has not
    /// confirmed.
    package static let unconfigured: NamespacePolicy = {
        var policy = NamespacePolicy()
        policy.suspect = .revalidate
        return policy
    }()

    /// The time to live of an entry that is stored without one; `nil`: for ever.
    public var timeToLive: Duration?
    /// A longer time to live is reduced to this; `nil`: no limit.
    public var timeToLiveMax: Duration?
    /// The largest share by which a time to live is reduced, at random for each entry, so that
    /// entries stored together do not expire together. At most 50 %.
    public var timeToLiveJitter = Percent.none
    /// A longer value is refused. At most 64 MiB.
    public var valueBytesMax = 16 << 20
    public var suspect = Suspect.serve
    /// How long ``Suspect/serveThenRevalidate`` serves after the node could last vouch for its
    /// entries.
    public var suspectWindow = Duration.seconds(300)
    public var blindSet = BlindSet.allow
    /// See ``BlindSet/holdOff``.
    public var holdOff = Duration.seconds(2)
    /// How long only the holder of a fill token is asked to load.
    public var loadLease = Duration.seconds(5)
    /// How long after a soft invalidation an entry may be served to readers that allow stale
    /// values.
    public var staleWindow = Duration.seconds(60)
    /// How long after a change the origin may still return the old value, because it is read from a
    /// replica. A value loaded within this time after an invalidation lives no longer than this,
    /// and the invalidation is repeated after it. Zero: the origin never lags.
    public var replicaLag = Duration.zero
    /// Its share of a node's memory. The same for all namespaces that are not listed:
    /// ``MemoryQuota/standard``.
    public var memory = MemoryQuota.standard
    /// The share of a node's disk that its records may take; ``Percent/none``: none of them is
    /// written there. The same for all namespaces that are not listed: ``Percent/all``.
    public var diskMost = Percent.all
    /// The origin from which nodes load missing values; `nil`: applications fill the cache.
    public var origin: OriginPolicy? {
        get { originBox?.policy }
        set { originBox = newValue.map(OriginBox.init) }
    }
    private var originBox: OriginBox?

    /// Whether nodes load values themselves. Cheaper than reading the origin.
    public var readsThrough: Bool { originBox != nil }

    public init() {}
}

/// An origin's policy behind a reference: namespace policies are copied at every store, and most
/// have none.
final class OriginBox: Hashable, Sendable {
    let policy: OriginPolicy

    init(_ policy: OriginPolicy) {
        self.policy = policy
    }

    static func == (left: OriginBox, right: OriginBox) -> Bool {
        left === right || left.policy == right.policy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(policy)
    }
}
