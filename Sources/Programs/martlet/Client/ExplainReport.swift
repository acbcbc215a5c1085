import CacheModel
import MartletClient

/// What the nodes of a cluster know of one key.
struct ExplainReport {
    struct Line {
        var node: NodeID
        var answer: Result<KeyExplanation, CacheError>
        /// What came of comparing with the origin; `nil` if that was not asked for.
        var comparison: Result<OriginComparison, CacheError>?
    }

    var key: CacheKey
    var namespace: Namespace
    /// The only node with an answer that counts; `nil` where every node may hold the key.
    var owner: NodeID?
    /// In the topology's order.
    var lines: [Line]

    /// Asks all nodes at once, or the one that is named.
    ///
    /// - Throws: if the topology is unknown, and any error of the node that is named. If all are
    ///   asked, a node that does not answer is shown as such.
    static func gathered(
        _ key: CacheKey, in namespace: Namespace, only node: NodeID?, from client: CacheClient
    ) async throws(CacheError) -> ExplainReport {
        let owner = try await client.cluster.owner(of: key, in: namespace)
        if let node {
            let answer = try await client.cluster.explain(key, in: namespace, on: node)
            return ExplainReport(
                key: key, namespace: namespace, owner: owner,
                lines: [Line(node: node, answer: .success(answer))])
        }
        let nodes = try await client.cluster.topology().nodes.map(\.id)
        let answers = await withTaskGroup(
            of: (NodeID, Result<KeyExplanation, CacheError>).self
        ) { group in
            for node in nodes {
                group.addTask { (node, await Self.answer(key, namespace, node, client)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return ExplainReport(
            key: key, namespace: namespace, owner: owner,
            lines: nodes.compactMap { node in answers[node].map { Line(node: node, answer: $0) } })
    }

    /// Has every node that answered hold what it shows against the origin: one after the other,
    /// for they all ask the same one.
    mutating func compareWithOrigin(by client: CacheClient) async {
        for index in lines.indices {
            guard case .success = lines[index].answer else { continue }
            do throws(CacheError) {
                lines[index].comparison = .success(
                    try await client.cluster.compareWithOrigin(
                        key, in: namespace, on: lines[index].node))
            } catch {
                lines[index].comparison = .failure(error)
            }
        }
    }

    private static func answer(
        _ key: CacheKey, _ namespace: Namespace, _ node: NodeID, _ client: CacheClient
    ) async -> Result<KeyExplanation, CacheError> {
        do throws(CacheError) {
            return .success(try await client.cluster.explain(key, in: namespace, on: node))
        } catch {
            return .failure(error)
        }
    }
}
