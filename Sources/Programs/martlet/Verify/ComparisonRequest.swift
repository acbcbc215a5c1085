import CacheModel
import CacheVerification
import MartletClient

/// A question to one node: is what it shows of a key what the key's origin has?
struct ComparisonRequest {
    let client: CacheClient
    let look: OriginLook
    let patience: Duration

    /// - Returns: the node that was asked, `nil` if the nodes are unknown; and its answer.
    func answer() async -> (NodeID?, OriginAnswer) {
        guard let node = await node() else { return (nil, .unanswered) }
        do throws(CacheError) {
            return (
                node,
                .compared(
                    try await client.cluster.compareWithOrigin(
                        look.key.key, in: look.key.namespace, on: node, timeout: patience))
            )
        } catch {
            return (node, error.code == .refused ? .unsupported : .unanswered)
        }
    }

    /// The node that is asked for, else the key's owner, else the next in turn.
    private func node() async -> NodeID? {
        if let node = look.node { return node }
        do throws(CacheError) {
            if let owner = try await client.cluster.owner(of: look.key.key, in: look.key.namespace)
            {
                return owner
            }
            let nodes = try await client.cluster.topology().nodes.map(\.id)
            return nodes.isEmpty ? nil : nodes[look.turn % nodes.count]
        } catch {
            return nil
        }
    }
}
