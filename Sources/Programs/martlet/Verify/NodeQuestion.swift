import CacheModel
import CacheVerification
import MartletClient

/// A question about one key, put to every node at once.
struct NodeQuestion {
    let client: CacheClient
    let key: WatchedKey
    let patience: Duration

    /// What each node says; `nil` of one that does not answer. Empty if the nodes are unknown.
    func answers() async -> [NodeID: NodeAnswer?] {
        let nodes: [NodeID]
        let owner: NodeID?
        do throws(CacheError) {
            nodes = try await client.cluster.topology().nodes.map(\.id)
            owner = try await client.cluster.owner(of: key.key, in: key.namespace)
        } catch {
            return [:]
        }
        return await withTaskGroup(of: (NodeID, NodeAnswer?).self) { group in
            for node in nodes {
                let isInCharge = owner == nil || owner == node
                group.addTask { (node, await answer(of: node, isInCharge: isInCharge)) }
            }
            return await group.reduce(into: [:]) { $0.updateValue($1.1, forKey: $1.0) }
        }
    }

    private func answer(of node: NodeID, isInCharge: Bool) async -> NodeAnswer? {
        do throws(CacheError) {
            let found = try await client.cluster.explain(
                key.key, in: key.namespace, on: node, timeout: patience)
            return NodeAnswer(found, isInCharge: isInCharge)
        } catch {
            return nil
        }
    }
}

extension NodeAnswer {
    init(_ found: KeyExplanation, isInCharge: Bool) {
        let entry = found.entry.map {
            Entry(
                version: $0.version, filled: $0.filled, isUnfenced: $0.isUnfenced, tags: $0.tags,
                age: $0.age)
        }
        self.init(
            isFresh: found.verdict == .fresh, verdict: found.verdict.rawValue,
            applied: found.applied, entry: entry, isInCharge: isInCharge)
    }
}

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
