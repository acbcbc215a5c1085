public import CacheModel
import CacheClientCore
import ZeroMQ

/// A connection to a cache cluster: get, set, load, invalidate, follow.
///
///     let cache = try CacheClient(endpoints: ["tcp://127.0.0.1:7400"])
///     try await cache.set("greeting", "hello", tags: ["words"])
///     let page = try await cache.load("page:1", tags: ["users"]) { try await render(1) }
///     let receipt = try await cache.invalidate(tag: "users")
///
/// Operations on nodes and the publisher, for operators and tools, are in ``cluster``.
///
/// ### Threads
/// Every method may be called from any task. One thread of the client owns the sockets, one for
/// each shard. Calls put messages into its inbox, and it resumes them. Waiting operations of one
/// kind for the same shard share a message, so many concurrent tasks cost little more than one.
///
/// ### Guarantees
/// A call ends by its timeout. Reads are retried within it. A store or removal is never retried
/// once it was sent, and ``CacheError/mayHaveHappened`` says when its effect is unknown. Limits are
/// checked before anything is sent. Reads continue while the publisher is down. The client waits
/// for an unresponsive node once: from then on calls to it fail at once, until it answers a probe.
/// Of several publishers it follows the one that leads; what is not answered is repeated at the
/// next one, with the same operation id.
///
/// ### Limits
/// The client caches no values: each read asks a node. If an owner is down, the client never uses a
/// value that another node holds; in a namespace with an origin it asks another node to load.
public final class CacheClient: Sendable {
    let loop: ClientLoop
    /// `nil`: no spans are recorded, and the only cost is the check for `nil`.
    let tracer: ClientTracer?

    /// Makes a client of the cluster with these endpoints, such as `tcp://127.0.0.1:7400`, and with
    /// the settings that a configuration begins with.
    ///
    /// - Throws: as ``init(_:)`` does.
    public convenience init(endpoints: [String]) throws(CacheError) {
        try self.init(CacheClientConfiguration(endpoints: endpoints))
    }

    /// Makes a client. The first call opens connections, so a cluster that is not yet up is no
    /// error here.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no endpoint, an endpoint is
    ///   invalid, only one side – an endpoint or this client – has a key, the timeout is not above
    ///   zero, or the spin is not between zero and ten milliseconds;
    ///   ``CacheError/Code/disconnected`` if the system provides no socket or thread.
    public init(_ configuration: CacheClientConfiguration) throws(CacheError) {
        guard configuration.timeout > .zero else {
            throw CacheError(.invalidArgument, "a timeout is above zero")
        }
        guard (.zero...ClientLimits.spinMax).contains(configuration.spin) else {
            throw CacheError(.invalidArgument, "a client spins for zero to ten milliseconds")
        }
        guard !configuration.endpoints.isEmpty else {
            throw CacheError(
                .invalidArgument, "a client needs an endpoint, such as tcp://127.0.0.1:7400")
        }
        var seeds: [Endpoint] = []
        for text in configuration.endpoints {
            do {
                seeds.append(try Endpoint(text, for: .connecting))
            } catch {
                throw CacheError(.invalidArgument, "\(error)")
            }
        }
        for seed in seeds { try CacheError.check(seed, configuration.keys) }
        tracer = configuration.tracer.map { ClientTracer($0) }
        loop = try ClientLoop(configuration, seeds: seeds)
    }

    /// The configuration of the client.
    public var configuration: CacheClientConfiguration { loop.configuration }

    deinit { loop.inbox.beginClosing() }

    /// Fails all open calls with ``CacheError/Code/closed`` and closes all connections. Streams of
    /// this client end. May be called any number of times.
    public func close() async { await loop.close() }

    /// The client's own thread as a task executor: several times as many gets a second.
    ///
    ///     Task(executorPreference: client.executor) {
    ///         let page = try await client.get(key)
    ///     }
    ///
    /// Only tasks that prefer it have the fast path; child tasks of a task group inherit it. They
    /// share the thread with the client's sockets and with each other. A task that blocks, or
    /// computes for long, delays every call of this client. An actor without an executor of its own
    /// also runs here when such a task calls it. `@MainActor` and actors with an executor run where
    /// they always do, and then the task returns here.
    ///
    /// After ``close()``, and once the client is gone, such tasks continue on Swift's global
    /// executor; their calls throw ``CacheError/Code/closed``.
    public var executor: any TaskExecutor { loop.executor }

    /// The highest position of the log that any answer to this client reflected.
    ///
    /// Pass it to another client as ``ReadOptions/atLeast``, so that its reads reflect at least the
    /// same position.
    public var position: LogPosition { loop.position.seen }

    /// The nodes and the publisher of the cluster: their state, and orders to them.
    public var cluster: CacheCluster { CacheCluster(client: self) }

    /// Whether the current topology certainly belongs to the cluster of the named endpoints.
    package var isConfirmed: Bool { loop.isConfirmed }

    /// Whether any endpoint has returned a topology.
    package var hasTopology: Bool { loop.latestTopology != nil }

    /// Whether any endpoint has answered: with a topology, or that it does not lead.
    package var hasAnswer: Bool { hasTopology || loop.leader.isMissing }

    package var knownTopology: ClusterTopology? { loop.latestTopology.map { ClusterTopology($0) } }

    package var clusterID: ClusterID { loop.cluster }

    /// The cluster of positions that arrived since `before` was read; none if the client has
    /// changed to another cluster meanwhile, or if the cluster is unknown.
    ///
    /// - Parameter before: ``clusterID`` at that time.
    package func clusterID(since before: ClusterID) -> ClusterID {
        let now = clusterID
        return now.contradicts(before) ? .none : now
    }

    // MARK: Components

    var reader: ValueReader { ValueReader(loop: loop, tracer: tracer) }
    var writer: ValueWriter { ValueWriter(loop: loop) }
    var loader: ValueLoader { ValueLoader(reader: reader, writer: writer) }
    var publisher: PublisherQuestions { PublisherQuestions(loop: loop) }
}
