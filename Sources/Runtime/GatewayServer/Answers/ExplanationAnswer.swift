import ByteCoding
import CacheHTTP
import CacheModel
import MartletClient

/// `GET /v1/explain/NAMESPACE/KEY`: the nodes' state of one key.
struct ExplanationAnswer {
    var namespace: Namespace
    var key: CacheKey
    /// The only node that determines the answer; `nil` if every node may hold the key.
    var owner: NodeID?
    var nodes: [(node: NodeID, answer: Result<KeyExplanation, CacheError>)]

    /// Asks all nodes at once.
    ///
    /// - Throws: if the topology cannot be obtained.
    static func gathered(
        _ key: CacheKey, _ namespace: Namespace, from client: CacheClient
    ) async throws(CacheError) -> ExplanationAnswer {
        let owner = try await client.cluster.owner(of: key, in: namespace)
        let names = try await client.cluster.topology().nodes.map(\.id)
        let answers = await withTaskGroup(
            of: (NodeID, Result<KeyExplanation, CacheError>).self
        ) { group in
            for node in names {
                group.addTask { (node, await Self.ask(node, key, namespace, client)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return ExplanationAnswer(
            namespace: namespace, key: key, owner: owner,
            nodes: names.compactMap { name in answers[name].map { (name, $0) } })
    }

    private static func ask(
        _ node: NodeID, _ key: CacheKey, _ namespace: Namespace, _ client: CacheClient
    ) async -> Result<KeyExplanation, CacheError> {
        do throws(CacheError) {
            return .success(try await client.cluster.explain(key, in: namespace, on: node))
        } catch {
            return .failure(error)
        }
    }

    var answer: Answer {
        Answer(
            200,
            json: .object(
                [("namespace", .text(namespace.name))] + JSONDocument.members("key", key.bytes) + [
                    ("owner", .optional(owner) { .text($0.name) }),
                    ("nodes", .list(nodes.map { Self.document($0.node, $0.answer) })),
                ]))
    }

    private static func document(
        _ node: NodeID, _ answer: Result<KeyExplanation, CacheError>
    ) -> JSONDocument {
        switch answer {
        case .failure(let error):
            return .object([
                ("node", .text(node.name)), ("reachable", .bool(false)),
                ("why", .text(error.message)),
            ])
        case .success(let found):
            return .object([
                ("node", .text(node.name)), ("reachable", .bool(true)),
                ("state", .text(found.state.description)),
                ("applied", .text("\(found.applied)")),
                ("lease_ms", .optional(found.leaseLeft) { .unsigned($0.wholeMilliseconds) }),
                ("verdict", .text(found.verdict.rawValue)),
                ("load_ms", .optional(found.loadLeft) { .unsigned($0.wholeMilliseconds) }),
                ("token_base", .optional(found.tokenBase) { .text("\($0)") }),
                ("entry", .optional(found.entry, document)),
                ("floors", .list(found.floors.map(document))),
            ])
        }
    }

    private static func document(_ entry: KeyExplanation.Entry) -> JSONDocument {
        let members: [JSONDocument.Member] = [
            ("value_bytes", .integer(entry.valueBytes)),
            ("charged_bytes", .integer(entry.chargedBytes)),
            ("version", entry.version == .none ? .null : .unsigned(entry.version.rawValue)),
            ("tags", .list(entry.tags.map { .text($0.description) })),
            ("age_ms", .unsigned(entry.age.wholeMilliseconds)),
            ("ttl_ms", .optional(entry.timeToLive) { .unsigned($0.wholeMilliseconds) }),
            ("stale_ms", .optional(entry.staleFor) { .unsigned($0.wholeMilliseconds) }),
            ("filled", .optional(entry.filled) { .text("\($0)") }),
            ("fenced", .bool(!entry.isUnfenced)),
        ]
        return .object(members + JSONDocument.members(of: entry.representation))
    }

    private static func document(_ floor: KeyExplanation.Floor) -> JSONDocument {
        let cover: [JSONDocument.Member] =
            switch floor.cover {
            case .key: [("kind", .text("key"))]
            case .tag(let name): [("kind", .text("tag"))] + JSONDocument.members("name", name)
            case .prefix(let name): [("kind", .text("prefix"))] + JSONDocument.members("name", name)
            case .namespace: [("kind", .text("namespace"))]
            case .everything: [("kind", .text("all"))]
            case .history: [("kind", .text("history"))]
            }
        return .object(
            cover + [
                ("hard", .optional(floor.hard) { .text("\($0)") }),
                ("soft", .optional(floor.soft) { .text("\($0)") }),
                ("above_entry", .bool(floor.isAboveEntry)),
            ])
    }
}

extension Answer {
    /// The number of entries that an invalidation would hide, without executing it: with the fields
    /// of a receipt that waits for no node.
    init(_ counts: [NodeCount], of order: InvalidationOrder) {
        let nodes = counts.map { count in
            JSONDocument.object([
                ("node", .text(count.node.name)), ("entries", .integer(count.entryCount)),
                ("bytes", .integer(count.entryBytes)),
            ])
        }
        self.init(
            200,
            json: .object([
                ("position", .null), ("wait", .text(order.wait.rawValue)), ("complete", .null),
                ("applied", .list([])), ("expired", .list([])), ("pending", .list([])),
                ("entries", .integer(counts.map(\.entryCount).reduce(0, NodeCount.sum))),
                ("bytes", .integer(counts.map(\.entryBytes).reduce(0, NodeCount.sum))),
                ("exact", .bool(counts.allSatisfy(\.isExact))), ("nodes", .list(nodes)),
            ]))
    }
}
