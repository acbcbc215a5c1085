/// The origin from which a node loads a namespace's values, with the limits of its use.
///
/// Every namespace has its own origin: its limits, its breaker and its budget apply to that
/// namespace on one node, so that an overload of one does not starve another.
public struct OriginPolicy: Hashable, Sendable {
    /// Which node loads in a replicated cluster.
    public enum Coalescing: String, CaseIterable, Sendable {
        /// The key's owner; the other nodes ask it.
        case cluster
        /// Every node itself.
        case node
    }

    /// The source of an answer's lifetime.
    public enum LifetimeSource: String, CaseIterable, Sendable {
        /// The answer's own fields; the namespace if they state none.
        case answer
        /// The namespace alone.
        case namespace
    }

    /// The URL template: `https://api.example/users/{key}`. Checked when it is read.
    public var url: String
    public var question = OriginQuestion.get
    /// `nil`: the system's authorities are trusted, and the node presents no certificate.
    public var tls: OriginTLS?
    /// Sent with every request, in this order.
    public var fields: [OriginField] = []
    public var read = ReadPolicy.cacheFirst
    public var coalescing = Coalescing.cluster
    public var lifetimeSource = LifetimeSource.answer
    /// How long past its lifetime a value may be served while it is refreshed, if the answer states
    /// nothing.
    public var staleWhileRevalidate = Duration.zero
    /// How long past its lifetime a value may be served when the origin fails.
    public var staleIfError = Duration.zero
    /// How long an absent value counts as absent.
    public var negativeTimeToLive = Duration.seconds(5)
    /// After this time a reader gets the held value, stale, and the load continues in the
    /// background; `nil`: readers wait for the origin.
    public var softTimeout: Duration?
    /// The time limit of a load, including all its attempts.
    public var timeout = Duration.seconds(5)
    /// Maximum concurrent requests of one node.
    public var concurrencyMax = 64
    /// Maximum loads that wait for their turn on one node.
    public var queueMax = 4_096
    /// Attempts after the first.
    public var retriesMax = 2
    /// How long a failing origin gets no requests before it is tried again.
    public var breakerPause = Duration.seconds(5)
    /// When the last share of a lifetime begins, one reader's get refreshes the value in the
    /// background; zero: never.
    public var refreshShare = Percent.none
    /// The field of an answer that has the value's version; `nil`: there is none.
    public var versionField: String?
    /// Whether a node sends its clients' writes to the origin, and queues those that the origin
    /// does not take now.
    public var writesBehind = false

    public init(url: String) {
        self.url = url
    }
}
