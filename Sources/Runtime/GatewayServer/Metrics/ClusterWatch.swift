import CacheModel
import MartletClient
import ServiceLifecycle
import Threading

/// Checks every few seconds which processes the gateway reaches, for health monitors; and keeps the
/// last result, so that a monitor does not wait for the cluster.
final class ClusterWatch: Service {
    private let client: CacheClient
    private let seen = Guarded<ClusterView?>(nil)

    private let patience: Duration

    /// - Parameter patience: time limit for each process of the cluster to answer.
    init(_ client: CacheClient, within patience: Duration) {
        self.client = client
        self.patience = patience
    }

    /// `nil` until the first check.
    var view: ClusterView? { seen.withLock { $0 } }

    /// - Returns: the reached processes.
    @discardableResult
    func look() async -> ClusterView {
        let view = await gathered()
        seen.withLock { $0 = view }
        return view
    }

    private func gathered() async -> ClusterView {
        do throws(CacheError) {
            let topology = try await client.cluster.topology(isRefreshed: true)
            return ClusterView(await client.cluster.snapshot(of: topology, timeout: patience))
        } catch {
            return ClusterView(error)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while await Task.slept(for: GatewayLimits.clusterLookInterval) { await look() }
        }
    }
}

/// The processes that a gateway reached at the last check.
struct ClusterView: Sendable {
    /// Whether the publisher answered, also with a refusal because of missing rights.
    var isPublisherReached = false
    var nodes: [NodeID: Bool] = [:]
    /// Why no node is known; `nil` if the topology was obtained.
    var failure: String?

    init(_ told: ClusterSnapshot) {
        if case .success = told.publisher { isPublisherReached = true }
        if case .failure(let error) = told.publisher, error.code == .unauthorised {
            isPublisherReached = true
        }
        nodes = told.nodes.mapValues { Self.isReached($0) }
    }

    init(_ error: CacheError) { failure = error.message }

    /// Whether an answer came: also a refusal of metrics to this gateway's key pair.
    static func isReached(_ answer: Result<[StatusSnapshot], CacheError>) -> Bool {
        switch answer {
        case .success: true
        case .failure(let error): error.code == .unauthorised
        }
    }

    var reachedNodes: Int { nodes.values.count { $0 } }
    /// Whether every node was reached.
    var isComplete: Bool { failure == nil && reachedNodes == nodes.count }
}
