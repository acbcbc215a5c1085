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
            while !Task.isCancelled {
                do {
                    try await Task.sleep(for: GatewayLimits.clusterLookInterval)
                } catch {
                    return
                }
                await look()
            }
        }
    }
}
