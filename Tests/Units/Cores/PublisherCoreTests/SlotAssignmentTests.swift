import CacheModel
@testable import PublisherCore
import Testing

@Suite struct SlotAssignmentTests {
    private typealias Member = SlotAssignment.Member

    private func member(_ number: UInt16, shards: UInt8 = 1, weight: UInt32 = 1_000) -> Member {
        Member(number: MemberNumber(number), shardCount: shards, weight: weight)
    }

    private func owner(_ member: UInt16, shard: UInt8 = 0) -> SlotOwner {
        SlotOwner(member: MemberNumber(member), shard: shard)
    }

    private func counts(_ assignment: SlotAssignment) -> [SlotOwner?: Int] {
        assignment.owners.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private func balanced(_ members: [Member]) -> SlotAssignment {
        var assignment = SlotAssignment(slotCount: HashSlot.count)
        _ = assignment.balance(over: members)
        return assignment
    }

    @Test func aFourthEqualNodeTakesAQuarterAndNothingElseMoves() {
        let before = balanced((1...3).map { member($0, shards: 2) })
        var after = before
        let moved = after.balance(over: (1...4).map { member($0, shards: 2) })
        #expect(moved.count == HashSlot.count / 4)
        #expect(moved.allSatisfy { after.owners[$0]?.member == MemberNumber(4) })
        #expect(counts(after).values.allSatisfy { $0 == HashSlot.count / 8 })
    }

    @Test func onlyTheSlotsOfANodeThatLeavesMove() {
        let before = balanced((1...4).map { member($0) })
        var after = before
        let moved = after.balance(over: [1, 2, 4].map { member($0) })
        let third = MemberNumber(3)
        #expect(moved == before.owners.indices.filter { before.owners[$0]?.member == third })
        #expect(counts(after).values.sorted() == [5_461, 5_461, 5_462])
    }

    @Test func aNodeThatComesBackAfterItsSlotsMovedGetsItsShareAgain() {
        let members = (1...5).map { member($0, shards: 4) }
        var assignment = balanced(members)
        let left = assignment.balance(over: Array(members.dropLast()))
        let back = assignment.balance(over: members)
        #expect((3_276...3_277).contains(left.count) && (3_276...3_277).contains(back.count))
        #expect(assignment.balance(over: members) == [])
    }

    @Test func sharesFollowTheWeights() {
        let assignment = balanced([
            member(1, weight: 1_000), member(2, shards: 3, weight: 3_000), member(3, weight: 0),
        ])
        let counts = counts(assignment)
        #expect(counts[owner(1, shard: 0)] == 4_096)
        #expect((UInt8(0)..<3).allSatisfy { counts[owner(2, shard: $0)] == 4_096 })
        #expect(counts.count == 4)
    }

    @Test func withoutANodeThatHasAWeightNothingMoves() {
        var assignment = balanced([member(1)])
        #expect(assignment.balance(over: []) == [])
        #expect(assignment.balance(over: [member(2, weight: 0)]) == [])
        #expect(counts(assignment) == [owner(1, shard: 0): HashSlot.count])
    }

    @Test func theLargestClusterIsBalancedWithinOneSlot() {
        let members = (1...16).map { member($0, shards: 64, weight: 4_000_000_000) }
        #expect(counts(balanced(members)).values.allSatisfy { $0 == 16 })
    }

    /// Every table of five slots, over every choice of three nodes with weights 0 to 2.
    @Test func everySmallTableIsBalancedWithTheFewestMoves() {
        let owners: [SlotOwner?] = [nil] + (UInt16(1)...3).map { owner($0) }
        for weights in 0..<27 {
            let members = [
                member(1, weight: UInt32(weights % 3)), member(2, weight: UInt32(weights / 3 % 3)),
                member(3, weight: UInt32(weights / 9)),
            ]
            let sum = members.reduce(0) { $0 + Int($1.weight) }
            guard sum > 0 else { continue }
            for code in 0..<1_024 {
                let before = (0..<5).map { owners[code >> (2 * $0) & 3] }
                var assignment = SlotAssignment(before)
                let moved = assignment.balance(over: members)
                let changed = before.indices.filter { before[$0] != assignment.owners[$0] }
                #expect(moved == changed)
                let counts = counts(assignment)
                var kept = 0
                var roundedUp = 0
                for member in members {
                    let owner = SlotOwner(member: member.number, shard: 0)
                    let exact = 5 * Int(member.weight)
                    let count = counts[owner] ?? 0
                    #expect(abs(count * sum - exact) < sum, "\(before) \(weights)")
                    kept += min(before.count { $0 == owner }, exact / sum)
                    if exact % sum > 0, before.count(where: { $0 == owner }) > exact / sum {
                        roundedUp += 1
                    }
                }
                let spare = 5 - members.reduce(0) { $0 + 5 * Int($1.weight) / sum }
                #expect(5 - moved.count == kept + min(spare, roundedUp), "\(before) \(weights)")
            }
        }
    }

    /// Nodes of two shards: the shards of each have as many slots as each other within one.
    @Test func everySmallTableOfTwoShardsANodeIsBalanced() {
        let owners: [SlotOwner?] = [
            nil, owner(1, shard: 0), owner(1, shard: 1),
            owner(2, shard: 0),
        ]
        let members = [member(1, shards: 2), member(2, shards: 2, weight: 2_000)]
        for code in 0..<4_096 {
            var assignment = SlotAssignment((0..<6).map { owners[code >> (2 * $0) & 3] })
            _ = assignment.balance(over: members)
            let counts = counts(assignment)
            #expect(counts[owner(1, shard: 0)] == 1)
            #expect(counts[owner(1, shard: 1)] == 1)
            #expect(counts[owner(2, shard: 0)] == 2)
            #expect(counts[owner(2, shard: 1)] == 2)
        }
    }
}
