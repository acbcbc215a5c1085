import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface

/// Which node of the cluster this is, or is to be.
struct NodeNameOptions: ParsableArguments {
    @Option(help: "The node's name in the configuration, or the one that it joins by.")
    var id: String?

    @Flag(
        help: """
            Join the cluster though its configuration does not list this node: it gets its share \
            of the keys, until it is drained or forgotten.
            """)
    var join = false

    @Option(
        help: .value(
            "number",
            """
            With --join: its share, compared with other nodes; 0.001 to 1000000. (default: its \
            memory in GiB, or 1 if the publisher's configuration states weights)
            """))
    var weight: String?

    /// The weight by which the node joins.
    ///
    /// - Parameters:
    ///   - settings: of the node, where a configuration lists it.
    ///   - memory: of the node, in bytes.
    /// - Throws: ``CommandFailure`` for a weight that is none, or without `--join`.
    func joinWeight(
        _ settings: NodeSettings?, memory: Int
    ) throws(CommandFailure) -> JoinWeight {
        guard join else {
            guard weight == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "--weight is for --join: the weight of a listed node is in the publisher's "
                        + "configuration")
            }
            return .none
        }
        let given = weight.map { GivenText(text: $0, source: "--weight") }
        let stated = try given?.parsed(by: WeightText.parse) ?? settings?.weight
        return stated.map { JoinWeight(thousandths: WeightText.thousandths($0)) }
            ?? JoinWeight(memory: memory)
    }
}
