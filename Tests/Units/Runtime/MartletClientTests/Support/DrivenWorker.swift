import CacheClientCore
import CacheModel
import CacheWire
@testable import MartletClient
import Threading
import ZeroMQ

/// A client's worker that a test drives by hand, with times of its own, and its one connection,
/// which is a real socket.
final class DrivenWorker {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    /// Its servers end with it, and then the socket accepts no message.
    private let cluster: ScriptedCluster
    /// Whose context it shares; its own thread has nothing to do.
    private let client: CacheClient
    let worker: ClientWorker
    let connection: ShardConnection

    /// - Parameters:
    ///   - isReachable: whether the shard is there, or nobody who takes a message.
    ///   - inFlightMax: most messages on their way.
    init(
        _ cluster: ScriptedCluster, isReachable: Bool = true,
        inFlightMax: Int = ClientLimits.messagesInFlightMax
    ) throws {
        self.cluster = cluster
        client = try CacheClient(CacheClientConfiguration(endpoints: [cluster.publisher.endpoint]))
        let seed = try Endpoint(cluster.publisher.endpoint, for: .connecting)
        worker = ClientWorker(client.loop, seeds: [seed], inFlightMax: inFlightMax)
        worker.turnBegan = Self.start
        let endpoint =
            isReachable ? cluster.shards[0].endpoint : try ScriptedCluster.deadEndpoint()
        connection = try worker.connections.open(endpoint, "the shard")
        var report = cluster.report
        report.nodes[0].endpoints = [endpoint]
        worker.requests.adopt(Topology(report), at: Self.start)
        guard isReachable else { return }
        var poller = Poller()
        _ = poller.add(connection.socket, for: .writable)
        while try poller.wait(timeout: .seconds(10)) == 0 {}
    }

    static func after(milliseconds: Double) -> Instant {
        start.advanced(by: .nanoseconds(Int64(milliseconds * 1e6)))
    }

    /// Lets the turn of that moment take so many gets in.
    ///
    /// - Parameter patience: of each, in milliseconds after the start.
    func take(
        _ count: Int, in namespace: Namespace = .default, patience: Double,
        at moment: Double = 0
    ) async -> [Task<ReadEnding, Never>] {
        worker.turnBegan = Self.after(milliseconds: moment)
        let gets = Guarded<[SingleGet]>([])
        let tasks = (0..<count).map { number in
            Task {
                await withUnsafeContinuation { caller in
                    let get = SingleGet(
                        key: Sample.key("k\(number)"), namespace: namespace, options: [],
                        deadline: Self.after(milliseconds: patience),
                        ticket: UInt64(number), caller: caller)
                    gets.withLock { $0.append(get) }
                }
            }
        }
        while gets.withLock({ $0.count }) < count { await Task.yield() }
        for get in gets.withLock({ $0 }) { worker.accept(get) }
        return tasks
    }

    /// So many messages are on their way, as far as the window knows.
    func fillWindow(_ count: Int) {
        for _ in 0..<count { connection.window.sent() }
    }

    func flush(at milliseconds: Double) throws {
        try worker.flush(connection, at: Self.after(milliseconds: milliseconds))
    }

    func sweep(at milliseconds: Double) {
        worker.gets.sweep(connection, at: Self.after(milliseconds: milliseconds))
    }

    /// Messages that wait to be sent.
    var waitingCount: Int { connection.fullGets.count + connection.getDrafts.count }

    /// Messages on their way, and until when each is waited for.
    var expiries: [Instant] {
        var expiries: [Instant] = []
        worker.sender.forEach { _, sent in expiries.append(sent.expiry) }
        return expiries
    }

    /// Ends whatever is open.
    func end() {
        worker.gets.giveBackAll(of: connection, at: Self.after(milliseconds: 0))
        worker.sender.forEach { _, sent in
            if case .gets(let batch) = sent.content { worker.gets.settleAll(of: batch, .untried) }
        }
    }
}

extension ReadEnding {
    var isUntried: Bool {
        if case .untried = self { true } else { false }
    }

    var error: CacheError? {
        if case .failed(let error) = self { error } else { nil }
    }
}
