/// Where a namespace's values come from when a node loads them by itself, and with how much care.
///
/// Every namespace has an origin of its own: its limits, its breaker and its budget hold for that
/// namespace on one node, so that the storm of one does not starve another.
public struct OriginPolicy: Hashable, Sendable {
    /// Who loads in a replicated cluster.
    public enum Coalescing: String, CaseIterable, Sendable {
        /// The key's owner; the other nodes ask it.
        case cluster
        /// Every node for itself.
        case node
    }

    /// Who decides for how long an answer holds.
    public enum LifetimeSource: String, CaseIterable, Sendable {
        /// The answer's own fields; the namespace where they say nothing.
        case answer
        /// The namespace alone.
        case namespace
    }

    /// How one is reached: `https://api.example/users/{key}`. Checked where it is read.
    public var url: String
    public var question: OriginQuestion
    /// `nil`: the system's authorities are believed, and the node shows no certificate.
    public var tls: OriginTLS?
    /// Sent with every request, in this order.
    public var fields: [OriginField]
    public var read: ReadPolicy
    public var coalescing: Coalescing
    public var lifetimeSource: LifetimeSource
    /// For how long past its lifetime a value may answer while it is loaded anew, where the answer
    /// does not say.
    public var staleWhileRevalidate: Duration
    /// For how long past its lifetime a value may answer when the origin does not.
    public var staleIfError: Duration
    /// For how long it is believed that there is none.
    public var negativeTimeToLive: Duration
    /// After this long a reader gets what is there, stale, and the load goes on behind it; `nil`:
    /// readers wait for the origin.
    public var softTimeout: Duration?
    /// A load ends after this long, with all its attempts.
    public var timeout: Duration
    /// Most requests of one node at a time.
    public var concurrencyMax: Int
    /// Most loads that wait for their turn on one node.
    public var queueMax: Int
    /// Attempts after the first.
    public var retriesMax: Int
    /// For how long a broken origin is left alone before it is tried again.
    public var breakerPause: Duration
    /// When the last share of a lifetime begins, one reader's get has the value loaded anew behind
    /// it; zero: never.
    public var refreshShare: Percent
    /// The field of an answer that holds the value's version; `nil`: there is none.
    public var versionField: String?
    /// Whether a node tells the origin of its clients' writes, and keeps those that the origin does
    /// not take now.
    public var writesBehind: Bool

    public init(url: String) {
        self.url = url
        question = .get
        tls = nil
        fields = []
        read = .cacheFirst
        coalescing = .cluster
        lifetimeSource = .answer
        staleWhileRevalidate = .zero
        staleIfError = .zero
        negativeTimeToLive = .seconds(5)
        softTimeout = nil
        timeout = .seconds(5)
        concurrencyMax = 64
        queueMax = 4_096
        retriesMax = 2
        breakerPause = .seconds(5)
        refreshShare = .none
        versionField = nil
        writesBehind = false
    }
}
