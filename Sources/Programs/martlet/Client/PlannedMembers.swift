import CacheConfiguration
import CacheModel
import CommandSurface

/// The members that a plan is made for: those of a configuration, and those that joined, with the
/// changes of the flags. The weights of the listed ones follow from the configuration as a whole:
/// the first weight that is stated there ends weights by memory.
struct PlannedMembers {
    private var configuration: ClusterConfiguration
    private let areWeightsStatedNow: Bool
    /// Nodes that the configuration does not list: those that joined, by their weights of now, and
    /// those with a weight by a flag.
    private var joined: [SlotForecast.Member]
    private var others: [SlotForecast.Member] = []

    /// - Parameters:
    ///   - present: the members of now. Those that the configuration does not list stay where it
    ///     lets nodes join.
    ///   - areWeightsStatedNow: whether the configuration in force states weights.
    init(
        _ configuration: ClusterConfiguration, present: [SlotForecast.Member],
        areWeightsStatedNow: Bool
    ) {
        self.configuration = configuration
        self.areWeightsStatedNow = areWeightsStatedNow
        let listed = Set(configuration.nodes.map(\.id))
        joined =
            configuration.membership == .open ? present.filter { !listed.contains($0.node) } : []
    }

    /// In the order in which they are shown. Nodes that joined by their memory, as nearly all do,
    /// have weight 1 once the configuration states one.
    var members: [SlotForecast.Member] {
        let isFirstWithWeights = configuration.statesWeights && !areWeightsStatedNow
        let listed = configuration.nodes.map {
            SlotForecast.Member(
                node: $0.id, weightThousandths: configuration.slotWeightThousandths(of: $0))
        }
        return listed
            + joined.map {
                isFirstWithWeights ? .init(node: $0.node, weightThousandths: 1_000) : $0
            } + others
    }

    /// - Parameter text: `NODE`, as heavy as all others, or `NODE=WEIGHT`.
    mutating func add(_ text: String) throws(CommandFailure) {
        let change = try Change(text, flag: "--add")
        guard !members.contains(where: { $0.node == change.node }) else {
            throw CommandFailure(
                .wrongUsage,
                "--add \(text): \(change.node) is a member; --weight \(change.node)=W changes its "
                    + "share")
        }
        let weights = Set(members.map(\.weightThousandths))
        guard let weight = change.weightThousandths ?? (weights.count < 2 ? weights.first : nil)
        else {
            throw CommandFailure(
                .wrongUsage,
                "--add \(text): "
                    + (weights.isEmpty
                        ? "there is no other node" : "the nodes have different weights")
                    + "; say its weight, as in --add \(change.node)="
                    + WeightText.format(thousandths: weights.max() ?? 1_000))
        }
        others.append(.init(node: change.node, weightThousandths: weight))
    }

    mutating func remove(_ text: String) throws(CommandFailure) {
        let change = try Change(text, flag: "--remove")
        guard change.weightThousandths == nil else {
            throw CommandFailure(.wrongUsage, "--remove \(text): give the name of a node alone")
        }
        try requireMember(change, "--remove \(text)")
        configuration.nodes.removeAll { $0.id == change.node }
        joined.removeAll { $0.node == change.node }
        others.removeAll { $0.node == change.node }
    }

    /// - Throws: if no node is left.
    func check() throws(CommandFailure) {
        guard members.isEmpty else { return }
        throw CommandFailure(.wrongUsage, "no node would be left, and no slot would move")
    }

    /// - Parameter text: `NODE=WEIGHT`.
    mutating func weigh(_ text: String) throws(CommandFailure) {
        let change = try Change(text, flag: "--weight")
        guard let weight = change.weightThousandths else {
            throw CommandFailure(
                .wrongUsage, "--weight \(text): say which, as in --weight \(change.node)=2")
        }
        try requireMember(change, "--weight \(text)")
        for index in configuration.nodes.indices where configuration.nodes[index].id == change.node
        {
            configuration.nodes[index].weight = Double(weight) / 1_000
        }
        guard !configuration.nodes.contains(where: { $0.id == change.node }) else { return }
        joined.removeAll { $0.node == change.node }
        others.removeAll { $0.node == change.node }
        others.append(.init(node: change.node, weightThousandths: weight))
    }

    private func requireMember(_ change: Change, _ flag: String) throws(CommandFailure) {
        let names = members.map(\.node.name)
        guard !names.contains(change.node.name) else { return }
        throw CommandFailure(
            .wrongUsage,
            "\(flag): \(change.node) is no member"
                + (names.isEmpty
                    ? "; there is none" : "; they are " + names.joined(separator: ", ")))
    }
}

/// What a flag says of a node: its name, and perhaps its weight.
private struct Change {
    let node: NodeID
    let weightThousandths: UInt32?

    init(_ text: String, flag: String) throws(CommandFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let node = NodeID(String(parts[0])) else {
            throw CommandFailure(
                .wrongUsage,
                "\(flag): a node has 1 to 64 of the characters a-z A-Z 0-9 . _ -, and perhaps "
                    + "=WEIGHT after them")
        }
        self.node = node
        guard parts.count == 2 else {
            weightThousandths = nil
            return
        }
        let given = GivenText(text: String(parts[1]), source: "\(flag) \(node)")
        weightThousandths = WeightText.thousandths(try given.parsed(by: WeightText.parse))
    }
}
