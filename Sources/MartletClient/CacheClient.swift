public import CacheModel
import CacheClientCore
import ZeroMQ
import Threading

/// A connection to a cache cluster: ask, store, load, invalidate, follow.
///
///     let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:7400"]))
///     let page = try await client.load(key) { context in
///         LoadedValue(try await database.render(key))
///     }
///     let receipt = try await client.invalidate([Scope(.tag(news, in: .default))])
///
/// ### Threads
/// Every method may be called from any task. One thread of the client's own holds the sockets,
/// one to each shard; calls leave letters for it and are resumed by it. Operations of one kind
/// that are waiting for the same shard share a message, so many tasks asking at once cost little
/// more than one.
///
/// ### What it promises
/// A call ends by its timeout. Reads are asked again within it; a store or removal never is once
/// it was sent, and ``CacheError/mayHaveHappened`` says when its effect is not known. Limits are
/// checked before anything is sent. While the publisher is down, reads go on. A node that does not
/// answer is waited for once: from then on calls for it fail at once, until a probe is answered.
///
/// ### What it does not do
/// It keeps no value: each read asks a node. If an owner is down, it never uses a value that
/// another node holds; in a namespace with an origin it asks another node to load.
public final class CacheClient: Sendable {
    /// What the client was made with.
    public let configuration: CacheClientConfiguration
    let loop: ClientLoop
    /// `nil`: nobody records anything, and that is all that it costs.
    let tracer: ClientTracer?
    /// When the last call ends.
    private let end: Instant

    /// Makes a client. Connections are opened by the first call, so a cluster that is not there
    /// yet is no error here.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no endpoint, one cannot be
    ///   connected to, one has a key and this client none or the other way round, the timeout is
    ///   not above zero, or the spin not between zero and ten milliseconds;
    ///   ``CacheError/Code/disconnected`` if the system gives no socket or thread.
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

    /// Fails everything that is open with ``CacheError/Code/closed`` and lets go of all
    /// connections. Streams of this client end. Any number of times.
    public func close() async { await loop.close() }

    /// The client's own thread, as a place to run tasks: several times as many gets a second.
    ///
    ///     Task(executorPreference: client.executor) {
    ///         let page = try await client.get(key)
    ///     }
    ///
    /// Only tasks that prefer it have the fast way; a task group's children inherit it. They share
    /// the thread with the client's sockets and with each other: a task that blocks, or computes
    /// for long, holds up every call of this client. An actor without an executor of its own runs
    /// here, too, when such a task calls it; `@MainActor` and actors that have one run where they
    /// always do, and the task comes back by itself.
    ///
    /// After ``close()``, and once the client is gone, tasks that prefer it go on upon Swift's
    /// global executor; their calls throw ``CacheError/Code/closed``.
    public var executor: any TaskExecutor { loop.executor }

    /// The highest position of the log that any answer to this client reflected.
    ///
    /// Hand it to another client as ``ReadOptions/atLeast``, and that one sees no less.
    public var position: LogPosition { loop.position.seen }

    /// Whether the topology of now is certainly that of the cluster that was named.
    package var isConfirmed: Bool { loop.isConfirmed }

    /// Whether any endpoint has told the topology.
    package var hasTopology: Bool { loop.latestTopology != nil }

    /// The cluster of the topology of now; none where it is not known.
    package var cluster: ClusterID { loop.cluster }

    /// Of which cluster positions are that were told since then; none where the client went over
    /// to another one meanwhile, or it is not known.
    ///
    /// - Parameter before: ``cluster`` of then.
    package func cluster(since before: ClusterID) -> ClusterID {
        let now = cluster
        return now.contradicts(before) ? .none : now
    }

    /// When a call that begins now ends.
    func deadline(_ timeout: Duration?) throws(CacheError) -> Instant {
        let patience = timeout ?? configuration.timeout
        guard patience > .zero else {
            throw CacheError(.invalidArgument, "a timeout is above zero")
        }
        return min(MonotonicClock.now.advanced(by: patience), end)
    }
}
