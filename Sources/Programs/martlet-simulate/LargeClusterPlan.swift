import ByteCoding
import CacheModel
import CacheSimulation
import CommandSurface

/// Measures what a change of the owners of slots costs in a cluster of so many nodes.
struct LargeClusterPlan {
    /// Of two nodes neither takes the slots of the other, and one more is added to them.
    static let nodeCounts = 2...SlotTable.membersMax - 1

    private typealias Step = (change: String, cost: LargeCluster.Cost?)

    let nodeCount: Int

    func run(_ style: OutputStyle) -> CommandOutput {
        let cluster = LargeCluster()
        let steps: [Step] = [
            ("\(nodeCount) nodes start", cluster.start(nodeCount)),
            ("one more joins", cluster.start(1)),
            ("it dies", cluster.loseOne()),
        ]
        var output = CommandOutput(program: "martlet-simulate")
        if style == .json {
            output.writeLine(Self.json(steps))
        } else {
            output.write(Self.table(steps).text(isColoured: false))
        }
        for step in steps where step.cost == nil {
            output.complain(
                "the slots have no owners that answer after: \(step.change)", .violation)
        }
        return output
    }

    private static func table(_ steps: [Step]) -> Table {
        var table = Table([
            .left("change"), .right("slots"), .right("records"), .right("bytes a node"),
            .right("topologies"), .right("bytes of all"), .right("answered for"),
            .right("known to all"),
        ])
        for (change, cost) in steps {
            guard let cost else { continue }
            table.add(
                [.init(change)]
                    + [
                        cost.movedSlots, cost.records, cost.recordBytes, cost.topologies,
                        cost.topologyBytes,
                    ].map { .init("\($0)") }
                    + [cost.served, cost.settled].map { .init("\($0.wholeMilliseconds) ms") })
        }
        return table
    }

    private static func json(_ steps: [Step]) -> JSONDocument {
        .list(
            steps.map { change, cost in
                let figures: [(String, Int)] =
                    cost.map {
                        [
                            ("slots", $0.movedSlots), ("records", $0.records),
                            ("record_bytes", $0.recordBytes), ("topologies", $0.topologies),
                            ("topology_bytes", $0.topologyBytes), ("sent_bytes", $0.sentBytes),
                            ("answered_ms", Int($0.served.wholeMilliseconds)),
                            ("known_ms", Int($0.settled.wholeMilliseconds)),
                        ]
                    } ?? []
                return .object(
                    [("change", .text(change))] + figures.map { ($0.0, .integer($0.1)) })
            })
    }
}
