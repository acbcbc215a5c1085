import ArgumentParser
import CacheConfiguration
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
            "With --join: its share, compared with other nodes; 0.001 to 1000000. (default: 1)"))
    var weight: String?

    /// The weight in thousandths by which the node joins; 0: it does not.
    ///
    /// - Parameter settings: of the node, where a configuration lists it.
    /// - Throws: ``CommandFailure`` for a weight that is none, or without `--join`.
    func joinWeight(_ settings: NodeSettings?) throws(CommandFailure) -> UInt32 {
        guard join else {
            guard weight == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "--weight is for --join: the weight of a listed node is in the publisher's "
                        + "configuration")
            }
            return 0
        }
        guard let weight else { return settings?.weightThousandths ?? 1_000 }
        let given = GivenText(text: weight, source: "--weight")
        return UInt32((try given.parsed(by: WeightText.parse) * 1_000).rounded())
    }
}
