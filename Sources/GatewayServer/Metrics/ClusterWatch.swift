import CacheModel
import MartletClient
import ServiceLifecycle
import Threading

/// Looks every few seconds whom the gateway reaches, for those who watch its health; and keeps what
/// it saw last, so that whoever asks waits for nobody.
final class ClusterWatch: Service {
    private let client: CacheClient
    private let seen = Guarded<ClusterView?>(nil)

    init(_ client: CacheClient) { self.client = client }

    /// `nil` until it has looked once.
    var view: ClusterView? { seen.withLock { $0 } }

    /// - Returns: whether everybody was reached.
    @discardableResult
    func look() async -> ClusterView {
        let view = await Self.gathered(from: client)
        seen.withLock { $0 = view }
        return view
    }

    private static func gathered(from client: CacheClient) async -> ClusterView {
        do throws(CacheError) {
            return ClusterView(
                try await ClusterAnswer.gathered(
                    from: client, within: GatewayLimits.lookTimeMax))
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
