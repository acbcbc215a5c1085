import CacheConfiguration
import CacheModel
import CommandSurface

/// The members that a plan is made for: those of now or of a file, with the changes of the flags.
struct PlannedMembers {
    /// In the order in which they are shown.
    private(set) var members: [SlotForecast.Member]

    init(_ members: [SlotForecast.Member]) {
        self.members = members
    }

    /// - Parameter text: `NODE`, as heavy as all others, or `NODE=WEIGHT`.
    mutating func add(_ text: String) throws(CommandFailure) {
        let parts = try Change(text, flag: "--add")
        guard index(of: parts.node) == nil else {
            throw CommandFailure(
                .wrongUsage,
                "--add \(text): \(parts.node) is a member; --weight \(parts.node)=W changes its "
                    + "share")
        }
        let weights = Set(members.map(\.weightThousandths))
        guard let weight = parts.weightThousandths ?? (weights.count < 2 ? weights.first : nil)
        else {
            throw CommandFailure(
                .wrongUsage,
                "--add \(text): "
                    + (weights.isEmpty
                        ? "there is no other node" : "the nodes have different weights")
                    + "; say its weight, as in --add \(parts.node)="
                    + WeightText.format(thousandths: weights.max() ?? 1_000))
        }
        members.append(.init(node: parts.node, weightThousandths: weight))
    }

    mutating func remove(_ text: String) throws(CommandFailure) {
        let parts = try Change(text, flag: "--remove")
        guard parts.weightThousandths == nil else {
            throw CommandFailure(.wrongUsage, "--remove \(text): give the name of a node alone")
        }
        members.remove(at: try known(parts, "--remove \(text)"))
    }

    /// - Parameter text: `NODE=WEIGHT`.
    mutating func weigh(_ text: String) throws(CommandFailure) {
        let parts = try Change(text, flag: "--weight")
        guard let weight = parts.weightThousandths else {
            throw CommandFailure(
                .wrongUsage, "--weight \(text): say which, as in --weight \(parts.node)=2")
        }
        members[try known(parts, "--weight \(text)")].weightThousandths = weight
    }

    private func index(of node: NodeID) -> Int? { members.firstIndex { $0.node == node } }

    private func known(_ change: Change, _ flag: String) throws(CommandFailure) -> Int {
        if let index = index(of: change.node) { return index }
        let names = members.map(\.node.name).joined(separator: ", ")
        throw CommandFailure(
            .wrongUsage,
            "\(flag): \(change.node) is no member"
                + (names.isEmpty ? "; there is none" : "; they are \(names)"))
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
