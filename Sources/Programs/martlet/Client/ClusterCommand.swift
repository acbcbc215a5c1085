import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient

struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Plan changes of the nodes that share the keys by slots.",
        discussion: """
              martlet cluster plan cluster.yaml

            To change them: add, remove or weigh nodes in the publisher's file, and have it read \
            again (kill -HUP); or start a node with --join, where the file says membership: open. \
            drain has a node hand its keys over and leave; forget gives those of a dead node to \
            the others; status shows how many each node has.
            """,
        subcommands: [ClusterPlanCommand.self])
}

struct ClusterPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show how many slots and bytes a file would move. Changes nothing.",
        discussion: """
            Compares the slots that nodes have now with their shares by the file, as if all of \
            its nodes were live. Bytes are those in memory, by the share of slots that a node \
            loses.

              martlet cluster plan cluster.yaml
            """)

    @Argument(help: "The file that the publisher is to have.")
    var file: String

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let style = cluster.style
        let wanted: ClusterConfiguration
        do {
            wanted = try ConfigurationReading.read(file)
        } catch let problems as ConfigurationErrors {
            return try ConfigurationCheck(.failure(problems)).output(style).finish()
        }
        guard wanted.topology == .slots else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(file) says topology: \(wanted.topology.rawValue); a cluster with slots keeps "
                    + "them, and its file says topology: slots")
        }
        let status = try await cluster.withClient { try await ClusterStatus.gathered(from: $0) }
        let forecast = SlotForecast(
            try Self.holdings(status), members: Self.members(wanted, status))
        try cluster.finish(forecast.output(style))
    }

    /// The nodes that the file lists, and those that joined where it lets them.
    private static func members(
        _ wanted: ClusterConfiguration, _ status: ClusterStatus
    ) -> [SlotForecast.Member] {
        let listed = wanted.nodes.map {
            SlotForecast.Member(node: $0.id, weightThousandths: $0.weightThousandths)
        }
        guard wanted.membership == .open else { return listed }
        let names = Set(listed.map(\.node))
        return listed
            + status.topology.nodes.filter { !names.contains($0.id) }.map {
                SlotForecast.Member(
                    node: $0.id, weightThousandths: UInt32(($0.weight * 1_000).rounded()))
            }
    }

    private static func holdings(
        _ status: ClusterStatus
    ) throws(CommandFailure) -> [SlotForecast.Holding] {
        if let failure = status.publisherFailure { throw CommandFailure(failure, endpoints: []) }
        let holdings = status.nodes.compactMap { node in
            status.slotCount(of: node.node).map {
                SlotForecast.Holding(
                    node: node.node, slotCount: Int(clamping: $0),
                    entryBytes: node.sum("memory_bytes"))
            }
        }
        guard !holdings.isEmpty else {
            throw CommandFailure(
                .refused,
                "the log of this cluster assigns no slots; they need topology: slots in the file "
                    + "of its publisher")
        }
        return holdings
    }
}
