public import CacheModel
public import Tracing

/// How a ``CacheClient`` finds its cluster and how patient it is.
public struct CacheClientConfiguration: Sendable {
    /// Publishers or shards, such as `tcp://127.0.0.1:7400`; tried in turn, and any one of them
    /// tells the whole topology. At least one. Those of a cluster that asks who its clients are
    /// end with `?key=` and the public key of whoever listens there.
    public var endpoints: [String]
    /// Shards of an earlier time, tried where none of ``endpoints`` answers. Another process may
    /// listen there by now: a topology of another cluster than ``keptCluster`` is passed over, and
    /// nothing is stored, removed or invalidated by one that is not certainly of it. What is no
    /// endpoint is passed over, too.
    public var keptEndpoints: [String]
    /// Which cluster ``keptEndpoints`` were of: ``ClusterTopology/cluster`` of that time.
    public var keptCluster: ClusterID
    /// How long a call may take unless its options say otherwise. Above zero.
    public var timeout: Duration
    /// How long after the client was made its last call ends, whatever time each was given. `nil`:
    /// no such end.
    package var lifetimeMax: Duration?
    /// In a replicated topology: the node to ask. `nil` asks the one with the lowest median round
    /// trip. It is a preference: while the node cannot be reached, another one is asked.
    public var near: NodeID?
    /// What this client calls itself in the invalidations that it orders, for people who follow the
    /// log. Nobody checks it. `nil` says nothing.
    public var issuer: Issuer?
    /// Whether a read asks for an answer that shows every invalidation, removal and replicated
    /// store this client was given a position for. A shard that lags then waits, and in the end
    /// answers ``CacheError/Code/behind``.
    public var readsYourWrites: Bool
    /// Whether a read asks for an answer no older than any answer before it, of whatever node.
    public var readsMonotonically: Bool
    /// How long the client's thread looks for answers that are on their way before it sleeps, zero
    /// to ten milliseconds. Zero, the default, sleeps at once. From some 100 µs on it may be awake
    /// when an answer comes, for as much time of a core each time: for where cores are free.
    public var spin: Duration
    /// Who this client is, for a cluster that asks; all endpoints have a key then. `nil`: nobody
    /// asks, and none has.
    public var keys: ClientKeys?
    /// Who records a span for each operation of the client, below the span of the calling task, and
    /// whose trace goes along to nodes and their origins.
    ///
    ///     configuration.tracer = InstrumentationSystem.tracer
    ///
    /// `nil`, the default, records nothing, also where the program has set such a tracer up: to ask
    /// for that one takes a lock that all threads share, and a get is to be short. A client with a
    /// tracer pays for each operation whatever the tracer does; those that it records share no
    /// messages with others, as ``ReadOptions/trace`` says. Spans never say keys, tags or values.
    public var tracer: (any Tracer)?

    /// The defaults: five seconds, the nearest node, the program's name, own effects visible, no
    /// spin, no tracer.
    public init(endpoints: [String]) {
        self.endpoints = endpoints
        keptEndpoints = []
        keptCluster = .none
        timeout = .seconds(5)
        lifetimeMax = nil
        near = nil
        issuer = Self.programName
        readsYourWrites = true
        readsMonotonically = false
        spin = .zero
        keys = nil
        tracer = nil
    }

    private static var programName: Issuer? {
        CommandLine.arguments.first.flatMap { path in
            path.split(separator: "/").last.flatMap { Issuer(shortening: String($0)) }
        }
    }
}
