import CacheModel
import CommandSurface
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

extension KeyExplanation {
    var sentence: String {
        switch verdict {
        case .fresh:
            "Served as fresh: \(origin), and nothing that covers it was invalidated since."
        case .absent: "Not there\(lastLoss)\(loading)."
        case .expired: "Not served: its time to live is over\(loading)."
        case .invalidated: "Not served: \(origin), before \(culprits(\.hard))\(loading)."
        case .soft:
            "Stale: \(origin), before \(culprits(\.soft)); served to readers that allow stale "
                + "values."
        case .withheld:
            "Hidden: the node has lost the log since it was filled; a load may ask the origin "
                + "whether it is still valid\(loading)."
        case .forgotten:
            "Not served: the node has lost the log since it was filled, and without ETag or "
                + "version the origin cannot be asked about it\(loading)."
        case .suspectServed:
            "Served as stale: the node has no lease, so the entry may be out of date."
        case .suspectRefused: "Refused (BEHIND): the node has no lease."
        case .suspectHidden: "Hidden: the node has no lease, so a reader asks the origin."
        }
    }

    private var origin: String {
        guard let entry else { return "it was there" }
        guard let filled = entry.filled else { return "it was filled in an earlier log" }
        return "it was filled at \(filled)"
    }

    private var loading: String {
        loadLeft.map { "; it is being loaded, for \(FigureText.timeLeft($0)) at most" } ?? ""
    }

    /// What took away the entry that was there last, if the node remembers it.
    private var lastLoss: String {
        guard entry == nil, let floor = floors.first(where: \.isAboveEntry) else { return "" }
        let place = floor.hard.map { " at \($0)" } ?? " in an earlier log"
        return ": an entry was hidden by the invalidation of \(floor.cover.text)\(place)"
    }

    /// The invalidations that lie above the entry.
    private func culprits(_ position: (Floor) -> LogPosition?) -> String {
        let found = floors.filter { $0.isAboveEntry && position($0) != nil }
        guard !found.isEmpty else { return "an invalidation of it" }
        return found.map { floor in
            let place = position(floor).map { " at \($0)" } ?? ""
            return "the invalidation of \(floor.cover.text)\(place)"
        }.joined(separator: " and ")
    }
}

extension KeyExplanation.Floor.Cover {
    /// As it is typed after `martlet invalidate`.
    var text: String {
        switch self {
        case .key: "the key"
        case .tag([]): "a tag that shares its place with others"
        case .tag(let name): "tag \(HarmlessText.line(name))"
        case .prefix(let name): "prefix \(HarmlessText.line(name))"
        case .namespace: "the namespace"
        case .everything: "all"
        case .history: "history"
        }
    }
}
