import CacheConfiguration
import CacheModel
import CommandSurface
import Testing

@testable import martlet

/// The changes that `cluster plan` is asked about by flags.
@Suite struct PlannedMembersTests {
    /// Nodes of a configuration with as many MiB of memory, and then those that joined.
    private static func members(
        memory: Int..., weights: [Double] = [], joined: UInt32...
    ) throws -> PlannedMembers {
        var configuration = ClusterConfiguration.standard(
            nodeCount: 1, shardCount: 1, topology: .slots)
        configuration.membership = .open
        configuration.nodes = try memory.enumerated().map { index, mebibytes in
            var node = NodeSettings(id: try #require(NodeID("n\(index + 1)")))
            node.memory = mebibytes << 20
            if index < weights.count { node.weight = weights[index] }
            return node
        }
        let present = try joined.enumerated().map { index, weight in
            SlotForecast.Member(
                node: try #require(NodeID("j\(index + 1)")), weightThousandths: weight)
        }
        return PlannedMembers(
            configuration, present: present, areWeightsStatedNow: configuration.statesWeights)
    }

    private func shown(_ members: PlannedMembers) -> [String] {
        members.members.map { "\($0.node) \($0.weightThousandths)" }
    }

    @Test func nodesAreAddedRemovedAndWeighed() throws {
        var planned = try Self.members(memory: 1, 1, 1, weights: [1, 1, 1], joined: 2_000)
        try planned.remove("n1")
        try planned.weigh("n3=0.25")
        try planned.weigh("j1=4")
        try planned.add("n1=2")
        #expect(shown(planned) == ["n2 1000", "n3 250", "j1 4000", "n1 2000"])
    }

    /// As if it were written into the file.
    @Test func theFirstWeightEndsThoseByMemory() throws {
        var planned = try Self.members(memory: 512, 8_192, joined: 250)
        #expect(shown(planned) == ["n1 500", "n2 8000", "j1 250"])
        try planned.weigh("n1=2")
        #expect(shown(planned) == ["n1 2000", "n2 1000", "j1 1000"])
    }

    @Test func aNodeWithoutAWeightIsAsHeavyAsTheOthers() throws {
        var planned = try Self.members(memory: 256, 256)
        try planned.add("n3")
        #expect(shown(planned).last == "n3 250")
    }

    @Test(arguments: [
        ("add n9", "different weights; say its weight, as in --add n9=2.5"),
        ("add n1", "n1 is a member"), ("add n 9", "a node has 1 to 64"),
        ("add n9=0", "--add n9: "), ("add n9=", "--add n9: "), ("remove n9", "n9 is no member"),
        ("remove n1=1", "the name of a node alone"), ("weigh n1", "as in --weight n1=2"),
        ("weigh n9=2", "they are n1, n2"), ("weigh n1=x", "\"x\" is not a weight"),
    ])
    func aChangeThatCannotBeIsRefusedWithARemedy(change: String, sentence: String) throws {
        var planned = try Self.members(memory: 1, 1, weights: [1, 2.5])
        let parts = change.split(separator: " ", maxSplits: 1).map(String.init)
        let failure = #expect(throws: CommandFailure.self) {
            switch parts[0] {
            case "add": try planned.add(parts[1])
            case "remove": try planned.remove(parts[1])
            default: try planned.weigh(parts[1])
            }
        }
        #expect(failure?.sentence.contains(sentence) == true, "\(failure?.sentence ?? "")")
        #expect(shown(planned) == ["n1 1000", "n2 2500"])
    }

    @Test func theFirstNodeNeedsAWeightAndTheLastOneStays() throws {
        var planned = try Self.members()
        let failure = #expect(throws: CommandFailure.self) { try planned.add("n1") }
        #expect(failure?.sentence.contains("--add n1=1") == true)
        try planned.add("n1=1")
        try planned.check()
        try planned.remove("n1")
        let last = #expect(throws: CommandFailure.self) { try planned.check() }
        #expect(last?.sentence.contains("no node would be left") == true)
    }
}
