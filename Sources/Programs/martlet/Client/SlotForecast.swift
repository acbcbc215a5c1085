import ByteCoding
import CacheConfiguration
import CacheModel
import CommandSurface
import PublisherCore

/// How many slots move, and about how many bytes of entries, if the publisher gets another list of
/// nodes. It takes every listed node as live.
struct SlotForecast {
    /// What a node has now.
    struct Holding {
        var node: NodeID
        var slotCount: Int
        /// Bytes of its entries in memory; `nil` if it does not answer.
        var entryBytes: UInt64?
    }

    struct Line: Equatable {
        var node: NodeID
        var slotsNow: Int
        var slotsThen: Int
        /// About: of its entries, those in the slots that it loses.
        var leavingBytes: UInt64?
    }

    /// The listed nodes in their order, then those that are not listed any more.
    let lines: [Line]

    /// - Parameter listed: at most ``CacheModel/SlotTable/membersMax`` nodes.
    init(_ holdings: [Holding], listed: [NodeSettings]) {
        var numbers: [NodeID: MemberNumber] = [:]
        for node in holdings.map(\.node) + listed.map(\.id) where numbers[node] == nil {
            numbers[node] = MemberNumber(UInt16(clamping: numbers.count))
        }
        let shares = SlotAssignment.shares(
            of: listed.compactMap { node in
                numbers[node.id].map { ($0, node.weightThousandths) }
            },
            held: holdings.compactMap { holding in
                numbers[holding.node].map { ($0, holding.slotCount) }
            })
        let known = Dictionary(holdings.map { ($0.node, $0) }, uniquingKeysWith: { one, _ in one })
        let gone = holdings.map(\.node).filter { node in !listed.contains { $0.id == node } }
        lines = (listed.map(\.id) + gone).map { node in
            let now = known[node]?.slotCount ?? 0
            let then = numbers[node].flatMap { shares[$0] } ?? 0
            return Line(
                node: node, slotsNow: now, slotsThen: then,
                leavingBytes: known[node]?.entryBytes.map {
                    guard now > then else { return 0 }
                    return UInt64(min(Double($0) * Double(now - then) / Double(now), 1e18))
                })
        }
    }

    var movingCount: Int { lines.reduce(0) { $0 + max(0, $1.slotsNow - $1.slotsThen) } }

    /// About; `nil` if a node that loses slots does not answer.
    var movingBytes: UInt64? {
        var sum: UInt64 = 0
        for line in lines where line.slotsNow > line.slotsThen {
            guard let bytes = line.leavingBytes else { return nil }
            sum += bytes
        }
        return sum
    }

    func output(_ style: OutputStyle) -> CommandOutput {
        CommandOutput(style, json: json) { output in
            var table = Table([
                .left("node"), .right("slots"), .right("then"), .right("moving"), .right("about"),
            ])
            for line in lines { table.add(Self.row(line)) }
            output.write(table.text(isColoured: style.isColoured))
            output.writeLine(sentence)
        }
    }

    private static func row(_ line: Line) -> [Table.Cell] {
        let moving = line.slotsThen - line.slotsNow
        let bytes =
            moving >= 0 ? "" : line.leavingBytes.map { ByteSizeText.format(Int(clamping: $0)) }
        return [
            .init(line.node.name), .init("\(line.slotsNow)"), .init("\(line.slotsThen)"),
            .init(moving > 0 ? "+\(moving)" : moving < 0 ? "−\(-moving)" : "0"),
            .init(bytes ?? "unknown"),
        ]
    }

    private var sentence: String {
        guard movingCount > 0 else { return "no slot moves" }
        let bytes =
            movingBytes.map { "about \(ByteSizeText.format(Int(clamping: $0))) of entries" }
            ?? "an unknown number of entries: not every node answers"
        return "\(movingCount) of \(HashSlot.count) slots move, with \(bytes)"
    }

    private var json: JSONDocument {
        .object([
            ("slots_moving", .integer(movingCount)),
            ("bytes_moving", .optional(movingBytes, JSONDocument.unsigned)),
            (
                "nodes",
                .list(
                    lines.map { line in
                        .object([
                            ("node", .text(line.node.name)), ("slots", .integer(line.slotsNow)),
                            ("slots_then", .integer(line.slotsThen)),
                            (
                                "bytes_leaving",
                                .optional(line.leavingBytes, JSONDocument.unsigned)
                            ),
                        ])
                    })
            ),
        ])
    }
}
