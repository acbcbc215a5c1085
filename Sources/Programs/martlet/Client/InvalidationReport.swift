import ByteCoding
import CacheConfiguration
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

/// The receipt of an invalidation, for people and scripts.
struct InvalidationReport {
    var order: InvalidationRequest
    var receipt: InvalidationReceipt
    /// If it took its time; the receipt is its last slice's.
    var pacing: PacedInvalidation?
    /// What it covered; `nil` where counters do not tell.
    var covered: EntryCount?
    /// Of which cluster the position is; none where that is not known.
    var cluster = ClusterID.none

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            output.write(table.text(isColoured: style.isColoured))
            output.writeLine(summary)
        }
        if let remark = emptiness { output.complain(remark) }
        if !receipt.isComplete { output.complain(debt, .incomplete) }
        return output
    }

    /// That nothing was covered, where names may have been misspelt.
    private var emptiness: String? {
        let isByLabel = order.scopes.contains { scope in
            switch scope.target {
            case .tag, .namespace: true
            default: false
            }
        }
        guard isByLabel, let covered, covered.entryCount == 0 else { return nil }
        return "\(order.summary) covers no entry that is cached now; see whether the name is right"
    }

    private var table: Table {
        var table = Table([.left("node"), .left("state"), .right("ms")])
        for line in receipt.applied {
            let elapsed = FigureText.milliseconds(line.elapsed)
            table.add([.init(line.node.name), .init("applied", .good), .init(elapsed)])
        }
        for line in receipt.expired {
            let elapsed = FigureText.milliseconds(line.elapsed)
            table.add([.init(line.node.name), .init("expired", .warning), .init(elapsed)])
        }
        for node in receipt.pending {
            table.add([.init(node.name), .init("pending", .bad), .init(FigureText.none)])
        }
        return table
    }

    private var summary: String {
        let numbers = [
            (receipt.applied.count, "applied"), (receipt.expired.count, "expired"),
            (receipt.pending.count, "pending"),
        ]
        let counts = numbers.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let strength = order.strength == .soft ? " softly" : ""
        let place = ClusterPosition(receipt.position, of: cluster)
        var parts = ["\(order.summary) invalidated\(strength) at \(place)"]
        if let pacing {
            parts.append("over \(DurationText.format(pacing.span)) in \(pacing.sliceCount) parts")
        }
        if let covered { parts.append("\(covered.text) covered") }
        parts.append(counts.isEmpty ? "no nodes" : counts.joined(separator: ", "))
        parts.append("waited for \(receipt.wait.rawValue)")
        if receipt.nearCacheDelay > .zero {
            let delay = FigureText.timeLeft(receipt.nearCacheDelay)
            parts.append("near caches may answer with it for \(delay)")
        }
        return parts.joined(separator: " · ")
    }

    private var debt: String {
        let nodes = receipt.pending.map(\.name).joined(separator: ", ")
        let verb = receipt.pending.count == 1 ? "has" : "have"
        let patience = DurationText.format(order.patience)
        return "not complete: \(nodes) \(verb) not applied it within \(patience); the invalidation "
            + "stands: until its lease ends a node may show older values as fresh, then none"
    }

    private var json: JSONDocument {
        let members: [JSONDocument.Member] = [
            ("scopes", .list(order.scopes.map(JSONDocument.scope))),
            ("wait", .text(receipt.wait.rawValue)),
            ("complete", .bool(receipt.isComplete)),
            ("applied", .list(receipt.applied.map(JSONDocument.receiptLine))),
            ("expired", .list(receipt.expired.map(JSONDocument.receiptLine))),
            ("pending", .list(receipt.pending.map { .object([("node", .node($0))]) })),
        ]
        return .object(
            JSONDocument.place(receipt.position, of: cluster) + members + (covered?.members ?? [])
                + (pacing.map { [("pacing", .pacing($0))] } ?? []))
    }
}
