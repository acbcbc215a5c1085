import ByteCoding
import CacheHTTP
import CacheModel
import MartletClient

/// The number of entries that an invalidation would hide, without executing it: with the fields of
/// a receipt that waits for no node.
struct DryRunAnswer {
    var order: InvalidationOrder
    var counts: [NodeCount]

    var answer: Answer {
        var answer = Answer(
            200,
            json: .object([
                ("position", .null), ("wait", .text(order.wait.rawValue)), ("complete", .null),
                ("applied", .list([])), ("expired", .list([])), ("pending", .list([])),
                ("entries", .integer(counts.map(\.entryCount).reduce(0, NodeCount.sum))),
                ("bytes", .integer(counts.map(\.entryBytes).reduce(0, NodeCount.sum))),
                ("exact", .bool(counts.allSatisfy(\.isExact))),
                ("nodes", .list(counts.map(Self.document))),
            ]))
        answer.fields.append("Cache-Control", "no-store")
        return answer
    }

    private static func document(_ count: NodeCount) -> JSONDocument {
        .object([
            ("node", .text(count.node.name)), ("entries", .integer(count.entryCount)),
            ("bytes", .integer(count.entryBytes)),
        ])
    }
}
