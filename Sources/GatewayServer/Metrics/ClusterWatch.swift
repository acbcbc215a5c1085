import CacheModel
import MartletClient
import ServiceLifecycle
import Threading

/// Looks every few seconds which processes the gateway reaches, for monitors of its health; and
/// keeps what it saw last, so that a monitor does not wait for the cluster.
final class ClusterWatch: Service {
    private let client: CacheClient
    private let seen = Guarded<ClusterView?>(nil)

    private let patience: Duration

    /// - Parameter patience: how long each of the cluster has to answer.
    init(_ client: CacheClient, within patience: Duration) {
        self.client = client
        self.patience = patience
    }

    /// `nil` until it has looked once.
    var view: ClusterView? { seen.withLock { $0 } }

    /// - Returns: which processes were reached.
    @discardableResult
    func look() async -> ClusterView {
        let view = await gathered()
        seen.withLock { $0 = view }
        return view
    }

    private func gathered() async -> ClusterView {
        do throws(CacheError) {
            let topology = try await client.topology(isRefreshed: true)
            return ClusterView(await client.snapshot(of: topology, timeout: patience))
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
