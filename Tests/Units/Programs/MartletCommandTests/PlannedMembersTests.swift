import CacheModel
import CommandSurface
import Testing

@testable import martlet

/// The changes that `cluster plan` is asked about by flags.
@Suite struct PlannedMembersTests {
    private static func members(_ weights: UInt32...) throws -> PlannedMembers {
        PlannedMembers(
            try weights.enumerated().map { index, weight in
                .init(node: try #require(NodeID("n\(index + 1)")), weightThousandths: weight)
            })
    }

    private func shown(_ members: PlannedMembers) -> [String] {
        members.members.map { "\($0.node) \($0.weightThousandths)" }
    }

    @Test func nodesAreAddedRemovedAndWeighed() throws {
        var planned = try Self.members(1_000, 1_000, 1_000)
        try planned.remove("n1")
        try planned.weigh("n3=0.25")
        try planned.add("n1=2")
        #expect(shown(planned) == ["n2 1000", "n3 250", "n1 2000"])
    }

    @Test func aNodeWithoutAWeightIsAsHeavyAsTheOthers() throws {
        var planned = try Self.members(250, 250)
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
        var planned = try Self.members(1_000, 2_500)
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

    @Test func theFirstNodeNeedsAWeight() throws {
        var planned = try Self.members()
        let failure = #expect(throws: CommandFailure.self) { try planned.add("n1") }
        #expect(failure?.sentence.contains("--add n1=1") == true)
    }
}
