import ByteCoding
import CacheHTTP
import CacheModel
import MartletClient

/// `GET /v1/cluster`: the publisher or publishers, and every node, at about one moment.
struct ClusterAnswer {
    var told: ClusterSnapshot

    var topology: ClusterTopology { told.topology }

    /// Asks all at once. A process that does not answer within `patience` is reported as such.
    ///
    /// - Throws: if the topology cannot be obtained.
    static func gathered(
        from client: CacheClient, within patience: Duration
    ) async throws(CacheError) -> ClusterAnswer {
        let topology = try await client.cluster.topology(isRefreshed: true)
        return ClusterAnswer(told: await client.cluster.snapshot(of: topology, timeout: patience))
    }

    var answer: Answer {
        Answer(
            200,
            json: .object(
                [
                    ("topology", .text(topology.kind.rawValue)),
                    ("topology_version", .unsigned(UInt64(topology.version))),
                    ("head", .optional(snapshot?.position) { .text("\($0)") }),
                    ("publisher", publisherDocument),
                    ("nodes", .list(topology.nodes.map(document))),
                ] + (told.publishers?.documents ?? [])))
    }

    var snapshot: StatusSnapshot? {
        if case .success(let snapshot) = told.publisher { snapshot } else { nil }
    }

    private var publisherDocument: JSONDocument {
        var members: [JSONDocument.Member] = [
            ("endpoint", .text(Self.shown(topology.controlEndpoint))),
            ("reachable", .bool(snapshot != nil)),
            ("state", .optional(snapshot?.state) { .text($0.description) }),
        ]
        if case .failure(let error) = told.publisher {
            members.append(("why", .text(error.message)))
        }
        if let snapshot { members.append(("figures", Self.figures([snapshot]))) }
        return .object(members)
    }

    private func document(_ node: ClusterTopology.Node) -> JSONDocument {
        let line = snapshot?.nodes.first { $0.node == node.id }
        var members: [JSONDocument.Member] = [
            ("node", .text(node.id.name)), ("weight", .decimal(node.weight)),
            ("endpoints", .list(node.endpoints.map { .text(Self.shown($0)) })),
        ]
        switch told.nodes[node.id] {
        case .success(let shards):
            let applied = shards.map(\.position).min()
            members += [
                ("reachable", .bool(true)),
                ("state", .optional(shards.first?.state) { .text($0.description) }),
                ("applied", .optional(applied) { .text("\($0)") }),
                ("lag", .optional(lag(of: applied), JSONDocument.unsigned)),
                ("lease_ms", .optional(line?.grantLeft) { .unsigned($0.wholeMilliseconds) }),
                ("age_ms", .optional(age(of: node.id), JSONDocument.unsigned)),
                ("figures", Self.figures(shards)), ("shards", .list(shards.map(document))),
            ]
        case .failure(let error):
            members += [
                ("reachable", .bool(false)),
                ("state", .optional(line?.state ?? node.state) { .text($0.description) }),
                ("applied", .optional(line?.applied) { .text("\($0)") }),
                ("lag", .optional(lag(of: line?.applied), JSONDocument.unsigned)),
                ("lease_ms", .optional(line?.grantLeft) { .unsigned($0.wholeMilliseconds) }),
                ("why", .text(error.message)),
            ]
        case nil: break
        }
        return .object(members)
    }

    /// Metrics that all shards have are added up; the sum has no meaning for `…_max` and the like,
    /// see docs/operations.md.
    private static func figures(_ snapshots: [StatusSnapshot]) -> JSONDocument {
        var sums: [String: UInt64] = [:]
        for snapshot in snapshots {
            // The names of these have endpoints in them, perhaps with the keys of listeners.
            for (name, value) in snapshot.figures where !name.hasPrefix("publisher:") {
                sums[name] = (sums[name] ?? 0).addingReportingOverflow(value).partialValue
            }
        }
        return .object(sums.sorted { $0.key < $1.key }.map { ($0.key, .unsigned($0.value)) })
    }

    /// An endpoint without the key of its listener.
    private static func shown(_ endpoint: String) -> String { ClusterPublishers.shown(endpoint) }
}

/// The data of each shard, beside that of its node.
extension ClusterAnswer {
    /// The metrics that differ between the shards of a node, and that an operator wants to compare.
    /// All others are included as the node's sums.
    static let shardFigures = [
        "behind", "busy", "disk_bytes_max", "disk_entries", "disk_passed_over", "disk_promoted",
        "entries", "gets", "heartbeat_silence_ms", "hits", "loaded_hits", "memory_bytes",
        "memory_bytes_max", "misses", "removed_evicted", "sets", "stale_hits", "state_ms",
        "stored", "waiting",
    ]

    func document(_ shard: StatusSnapshot) -> JSONDocument {
        let reason = shard.figures["standing_reason"].flatMap(UInt8.init(exactly:))
            .flatMap(StandingReason.init)
        let figures = Self.shardFigures.compactMap { name in
            shard.figures[name].map { (name, JSONDocument.unsigned($0)) }
        }
        return .object([
            ("shard", .optional(shard.figures["shard"], JSONDocument.unsigned)),
            // As text: it has 64 bits, and is for comparison.
            ("incarnation", .optional(shard.figures["incarnation"]) { .text("\($0)") }),
            ("state", .text(shard.state.description)),
            ("reason", .optional(reason) { .text("\($0)") }),
            ("applied", .text("\(shard.position)")),
            ("lag", .optional(lag(of: shard.position), JSONDocument.unsigned)),
            ("lease_ms", .optional(shard.figures["lease_left_ms"], JSONDocument.unsigned)),
            ("figures", .object(figures)),
        ])
    }

    /// Number of records between a position and the head; `nil` if unknown: the publisher does not
    /// report its head, or the position is of another log.
    func lag(of position: LogPosition?) -> UInt64? {
        guard let head = snapshot?.position, let position, head.epoch == position.epoch else {
            return nil
        }
        // The head was requested at about the same time, not at exactly the same.
        let (newest, applied) = (head.sequence.rawValue, position.sequence.rawValue)
        return newest > applied ? newest - applied : 0
    }

    /// How long ago a node reported its metrics: others may have taken longer.
    func age(of node: NodeID) -> UInt64? {
        told.toldAt[node].map { $0.duration(to: .now).wholeMilliseconds }
    }
}
