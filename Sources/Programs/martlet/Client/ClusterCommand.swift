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
              martlet cluster plan --add n4 --remove n1

            A plan changes nothing. To change the nodes:

              add     list the node in the publisher's file, which is read again by
                      itself, and start the node; or start it with --join, where
                      the file says membership: open
              weight  in the publisher's file: the first one there ends weights
                      by memory; of a node that joined, its --weight
              remove  martlet drain: it hands its keys over and leaves. Take a
                      listed node out of the file then
              a dead  martlet forget gives its keys to the others at once

            Shares need no other command: the publisher moves slots by itself until each node has \
            its share. status shows how many each node has.
            """,
        subcommands: [ClusterPlanCommand.self])
}

struct ClusterPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show how many slots and bytes a change would move. Changes nothing.",
        discussion: """
            Compares the slots that nodes have now with their shares after the change, as if all \
            nodes were live: those of a file, or of the publisher's, with the changes of the \
            flags, as if they were written there; an added node is one that joins. Bytes are \
            those in memory, by the share of slots that a node loses.

              martlet cluster plan cluster.yaml
              martlet cluster plan --add n4
              martlet cluster plan --add n4=2 --remove n1 --weight n2=0.5
            """)

    @Argument(help: "A file that the publisher is to have.")
    var file: String?

    @Option(
        help: .value(
            "node[=weight]", "Add a node. The default of its weight is that of all others."))
    var add: [String] = []

    @Option(help: .value("node", "Remove a node, as drain does."))
    var remove: [String] = []

    @Option(help: .value("node=weight", "Give a node another weight."))
    var weight: [String] = []

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let style = cluster.style
        let wanted: ClusterConfiguration?
        do {
            wanted = try file.map(ConfigurationReading.read)
        } catch let problems as ConfigurationErrors {
            return try ConfigurationCheck(.failure(problems)).output(style).finish()
        }
        try check(wanted)
        let (status, served) = try await cluster.withClient { client in
            let served = try await client.cluster.servedConfiguration()
            return (
                try await ClusterStatus.gathered(from: client), try Self.configuration(served)
            )
        }
        let holdings = try Self.holdings(status)
        var planned = PlannedMembers(
            wanted ?? served,
            present: status.topology.nodes.map {
                .init(node: $0.id, weightThousandths: WeightText.thousandths($0.weight))
            }, areWeightsStatedNow: served.statesWeights)
        for change in remove { try planned.remove(change) }
        for change in weight { try planned.weigh(change) }
        for change in add { try planned.add(change) }
        try planned.check()
        let forecast = SlotForecast(holdings, members: planned.members)
        try cluster.finish(forecast.output(style))
    }

    private func check(_ wanted: ClusterConfiguration?) throws(CommandFailure) {
        if let file, let wanted, wanted.topology != .slots {
            throw CommandFailure(
                .unusableConfiguration,
                "\(file) says topology: \(wanted.topology.rawValue); a cluster with slots keeps "
                    + "them, and its file says topology: slots")
        }
        guard wanted != nil || !(add + remove + weight).isEmpty else {
            throw CommandFailure(
                .wrongUsage,
                "plan what? Give the file that the publisher is to have, or --add, --remove or "
                    + "--weight")
        }
    }

    private static func configuration(
        _ served: ServedConfiguration
    ) throws(CommandFailure) -> ClusterConfiguration {
        try CommandFailure.wrapping({ "the cluster's configuration cannot be read: \($0)" }) {
            try ClusterConfiguration.parse(served.text, fileName: "the cluster's")
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
