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
