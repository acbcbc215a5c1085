import ByteCoding
import CacheModel
import CommandSurface
import ConsoleCore
import PublisherCore

/// How many slots move, and about how many bytes of entries, if the publisher gets another list of
/// nodes. It takes every member as live.
struct SlotForecast {
    /// What a node has now.
    struct Holding {
        var node: NodeID
        var slotCount: Int
        /// Bytes of its entries in memory; `nil` if it does not answer.
        var entryBytes: UInt64?
    }

    /// A node that is to share the slots.
    struct Member {
        var node: NodeID
        var weightThousandths: UInt32
    }

    struct Line: Equatable {
        var node: NodeID
        var slotsNow: Int
        var slotsThen: Int
        /// About: of its entries, those in the slots that it loses.
        var leavingBytes: UInt64?
    }

    /// The members in their order, then nodes that are none any more.
    let lines: [Line]

    /// - Parameter members: that are to share the slots; at most
    ///   ``CacheModel/SlotTable/membersMax``.
    init(_ holdings: [Holding], members: [Member]) {
        var numbers: [NodeID: MemberNumber] = [:]
        for node in holdings.map(\.node) + members.map(\.node) where numbers[node] == nil {
            numbers[node] = MemberNumber(UInt16(clamping: numbers.count))
        }
        let shares = SlotAssignment.shares(
            of: members.compactMap { member in
                numbers[member.node].map { ($0, member.weightThousandths) }
            },
            held: holdings.compactMap { holding in
                numbers[holding.node].map { ($0, holding.slotCount) }
            })
        let known = Dictionary(holdings.map { ($0.node, $0) }, uniquingKeysWith: { one, _ in one })
        let gone = holdings.map(\.node).filter { node in !members.contains { $0.node == node } }
        lines = (members.map(\.node) + gone).map { node in
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
            moving >= 0 ? "" : line.leavingBytes.map(FigureWord.size)
        return [
            .init(line.node.name), .init("\(line.slotsNow)"), .init("\(line.slotsThen)"),
            .init(moving > 0 ? "+\(moving)" : moving < 0 ? "−\(-moving)" : "0"),
            .init(bytes ?? "unknown"),
        ]
    }

    private var sentence: String {
        guard movingCount > 0 else { return "no slot moves" }
        let bytes =
            movingBytes.map { "about \(FigureWord.size($0)) of entries" }
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
