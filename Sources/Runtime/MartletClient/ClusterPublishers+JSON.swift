package import ByteCoding
import CacheModel

/// As `martlet status --json` and `GET /v1/cluster` show them.
extension ClusterPublishers {
    /// `leadership`, `publishers` and `etcd`.
    package var documents: [JSONDocument.Member] {
        [
            ("leadership", leadershipDocument),
            ("publishers", .list(publishers.map(document))),
            ("etcd", .list(etcd.map(document))),
        ]
    }

    /// An endpoint without the key of its listener.
    package static func shown(_ endpoint: String) -> String {
        String(endpoint.prefix { $0 != "?" })
    }

    private var leadershipDocument: JSONDocument {
        .object([
            ("publisher", .optional(leader?.name) { .text($0) }),
            // As text: it has 64 bits, and is for comparison.
            ("term", .optional(term) { .text(Self.text(ofTerm: $0)) }),
            ("term_ms", .optional(termAge) { .unsigned($0.wholeMilliseconds) }),
        ])
    }

    /// As the publishers log it.
    package static func text(ofTerm term: UInt64) -> String { String(term, radix: 16) }

    private func document(_ publisher: Publisher) -> JSONDocument {
        let snapshot = publisher.snapshot
        var members: [JSONDocument.Member] = [
            ("publisher", .text(publisher.name)),
            ("endpoint", .text(Self.shown(publisher.controlEndpoint))),
            ("leads", .bool(publisher.leads)), ("reachable", .bool(snapshot != nil)),
            ("state", .optional(snapshot?.state) { .text($0.description) }),
            ("applied", .optional(snapshot?.position) { .text("\($0)") }),
            ("lag", .optional(lag(of: publisher)) { .unsigned($0) }),
            ("reaches_etcd", .optional(publisher.reachesEtcd) { .bool($0) }),
        ]
        if case .failure(let error) = publisher.status {
            members.append(("why", .text(error.message)))
        }
        return .object(members)
    }

    private func document(_ member: EtcdMember) -> JSONDocument {
        .object([
            ("endpoint", .text(member.endpoint)), ("condition", .text("\(member.condition)")),
            ("leads", .bool(member.isLeader)), ("database_bytes", .unsigned(member.databaseBytes)),
        ])
    }
}
