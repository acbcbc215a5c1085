public import CacheModel
import CacheClientCore
import ZeroMQ
import Threading

/// A connection to a cache cluster: get, set, load, invalidate, follow.
///
///     let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:7400"]))
///     let page = try await client.load(key) { context in
///         LoadedValue(try await database.render(key))
///     }
///     let receipt = try await client.invalidate([Scope(.tag(news, in: .default))])
///
/// ### Threads
/// Every method may be called from any task. One thread of the client owns the sockets, one for
/// each shard. Calls put letters into its inbox, and it resumes them. Waiting operations of one
/// kind for the same shard share a message, so many concurrent tasks cost little more than one.
///
/// ### Guarantees
/// A call ends by its timeout. Reads are retried within it. A store or removal is never retried
/// once it was sent, and ``CacheError/mayHaveHappened`` says when its effect is unknown. Limits are
/// checked before anything is sent. Reads continue while the publisher is down. The client waits
/// for an unresponsive node once: from then on calls to it fail at once, until it answers a probe.
///
/// ### Limits
/// The client caches no values: each read asks a node. If an owner is down, the client never uses a
/// value that another node holds; in a namespace with an origin it asks another node to load.
public final class CacheClient: Sendable {
    /// The configuration of the client.
    public let configuration: CacheClientConfiguration
    let loop: ClientLoop
    /// `nil`: no spans are recorded, and the only cost is the check for `nil`.
    let tracer: ClientTracer?
    /// When the last call ends.
    private let end: Instant

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
        self.configuration = configuration
        tracer = configuration.tracer.map { ClientTracer($0) }
        end = MonotonicClock.now.advanced(by: configuration.lifetimeMax ?? .nanoseconds(Int64.max))
        loop = try ClientLoop(configuration, seeds: seeds)
    }

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

    /// Whether the current topology certainly belongs to the cluster of the named endpoints.
    package var isConfirmed: Bool { loop.isConfirmed }

    /// Whether any endpoint has returned a topology.
    package var hasTopology: Bool { loop.latestTopology != nil }

    /// The cluster of the current topology; none if unknown.
    package var cluster: ClusterID { loop.cluster }

    /// The cluster of positions that arrived since `before` was read; none if the client has
    /// changed to another cluster meanwhile, or if the cluster is unknown.
    ///
    /// - Parameter before: ``cluster`` at that time.
    package func cluster(since before: ClusterID) -> ClusterID {
        let now = cluster
        return now.contradicts(before) ? .none : now
    }

    /// The end of a call that begins now.
    func deadline(_ timeout: Duration?) throws(CacheError) -> Instant {
        let patience = timeout ?? configuration.timeout
        guard patience > .zero else {
            throw CacheError(.invalidArgument, "a timeout is above zero")
        }
        return min(MonotonicClock.now.advanced(by: patience), end)
    }
}
