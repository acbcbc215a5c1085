import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// The records by which slots get other owners, whatever happens between them.
@Suite struct SlotControllerTests {
    private func member(
        _ number: Int, shards: UInt8 = 1, weight: UInt32 = 1_000,
        state: SlotMember.State = .member
    ) throws -> SlotMember {
        SlotMember(
            node: try #require(NodeID("n\(number)")), state: state, shardCount: shards,
            weightThousandths: weight)
    }

    private func members(_ numbers: ClosedRange<Int>) throws -> [SlotMember] {
        try numbers.map { try member($0) }
    }

    /// A log of slot records and the publisher that appends to it.
    private struct Story {
        var controller = SlotController(continuing: SlotTable(beginningOf: Epoch(1)))
        /// The table of a node that applies every record.
        var follower = SlotTable(beginningOf: Epoch(1))
        var sequence: UInt64 = 0
        var records: [SlotRecord] = []
        let now = Instant(nanoseconds: 1_000)

        /// Appends what is due, if anything is.
        mutating func step() -> Bool {
            guard let record = controller.takeDue(now: now) else { return false }
            sequence += 1
            let position = LogPosition(
                epoch: controller.table.position.epoch, sequence: SequenceNumber(sequence))
            let isFolded = controller.appended(record, at: position)
            let isFollowed = follower.fold(record, at: position)
            #expect(isFolded && isFollowed)
            #expect(follower == controller.table, "every reader computes the same table")
            records.append(record)
            return true
        }

        /// Every run with a grant has applied what is awaited.
        mutating func know() {
            if let awaited = controller.awaited { controller.knownToAll(awaited) }
        }

        mutating func settle() {
            for _ in 0..<40 where !controller.isSettled {
                while step() {}
                know()
            }
            #expect(controller.isSettled)
        }

        var changeCount: Int {
            records.count { if case .change = $0 { true } else { false } }
        }

        func slots(_ number: Int) -> Int {
            let table = controller.table
            return table.owners.count { owner in
                owner.flatMap { table.members[$0.member]?.node.name } == "n\(number)"
            }
        }
    }

    private func step(_ story: inout Story) -> Bool { story.step() }

    private func due(_ controller: inout SlotController, at now: Instant) -> SlotRecord? {
        controller.takeDue(now: now)
    }

    private func appended(
        _ controller: inout SlotController, _ record: SlotRecord, at position: LogPosition
    ) -> Bool {
        controller.appended(record, at: position)
    }

    @Test func aChangeIsServedOnlyOnceItIsKnownToAll() throws {
        var story = Story()
        story.controller.want(try members(1...3))
        #expect(step(&story))
        #expect(
            story.controller.awaited == LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)))
        #expect(!step(&story), "some run may not know it")
        #expect(story.controller.table.unserved == SequenceNumber(1))
        story.know()
        #expect(step(&story) && story.records.last == .served(below: SequenceNumber(2)))
        #expect(story.controller.isSettled && story.controller.awaited == nil)
        #expect((1...3).map(story.slots) == [5_462, 5_461, 5_461])
    }

    @Test func aFourthNodeTakesAQuarterInOneChange() throws {
        var story = Story()
        story.controller.want(try members(1...3))
        story.settle()
        let before = story.controller.table.owners
        story.controller.want(try members(1...4))
        story.settle()
        #expect(story.changeCount == 2)
        let after = story.controller.table.owners
        #expect(zip(before, after).count { $0 != $1 } == HashSlot.count / 4)
        #expect((1...4).map(story.slots) == [4_096, 4_096, 4_096, 4_096])
    }

    @Test func whatIsWantedMeanwhileIsOneMoreChange() throws {
        var story = Story()
        story.controller.want(try members(1...2))
        #expect(step(&story))
        story.controller.want(try members(1...3))
        story.controller.want(try members(1...4))
        #expect(!step(&story), "one change at a time")
        story.settle()
        #expect(story.changeCount == 2 && story.slots(4) == 4_096)
    }

    @Test func aNodeThatLeavesKeepsItsRowUntilItsSlotsHaveMoved() throws {
        var story = Story()
        story.controller.want(try members(1...3))
        story.settle()
        story.controller.want([
            try member(1), try member(2), try member(3, state: .leaving),
        ])
        story.settle()
        #expect(story.slots(3) == 0 && story.controller.table.members.count == 3)
        story.controller.want(try members(1...2))
        story.settle()
        #expect(story.controller.table.members.count == 2 && story.changeCount == 3)
    }

    @Test func aNumberIsGivenAgainOnlyAfterItsRowHasGone() throws {
        var story = Story()
        story.controller.want(try members(1...2))
        story.settle()
        story.controller.want([try member(2), try member(3)])
        story.settle()
        #expect(story.controller.table.members[MemberNumber(0)] == nil)
        story.controller.want([try member(2), try member(3), try member(4)])
        story.settle()
        #expect(story.controller.table.members[MemberNumber(0)]?.node.name == "n4")
    }

    @Test(arguments: [UInt8(1), 2, 5])
    func anotherNumberOfShardsMovesTheSlotsOfThatNodeAlone(shards: UInt8) throws {
        var story = Story()
        story.controller.want([try member(1, shards: 3), try member(2)])
        story.settle()
        let before = story.controller.table.owners
        story.controller.want([try member(1, shards: shards), try member(2)])
        story.settle()
        let number = MemberNumber(0)
        for (old, new) in zip(before, story.controller.table.owners) where old != new {
            #expect(old?.member == number && new?.member == number)
        }
        let owners = story.controller.table.owners.compactMap(\.self)
        let held = Set(owners.filter { $0.member == number })
        #expect(held.count == Int(shards) && story.changeCount == 2)
    }

    @Test func withoutAMemberThatMayHaveSlotsTheyStay() throws {
        var story = Story()
        story.controller.want([])
        #expect(!step(&story) && story.controller.isSettled)
        story.controller.want(try members(1...2))
        story.settle()
        story.controller.want([])
        #expect(!step(&story) && story.controller.isSettled)
        story.controller.want([try member(3, weight: 0)])
        story.settle()
        #expect((1...3).map(story.slots) == [8_192, 8_192, 0])
        #expect(story.controller.table.members.count == 3, "the owners' rows stay, too")
    }

    @Test func aRefusedRecordIsTriedAgainLater() throws {
        var controller = SlotController(continuing: SlotTable(beginningOf: Epoch(1)))
        controller.want(try members(1...1))
        let now = Instant(nanoseconds: 1_000)
        let record = try #require(due(&controller, at: now))
        #expect(due(&controller, at: now) == nil, "it is being appended")
        let later = now.advanced(by: .seconds(1))
        controller.refused(retryAt: later)
        #expect(controller.nextDue == later && due(&controller, at: now) == nil)
        #expect(controller.table.members.isEmpty, "only what is in the log counts")
        #expect(due(&controller, at: later) == record)
        controller.refused(retryAt: later)
        controller.want([])
        #expect(due(&controller, at: later) == nil && controller.nextDue == nil)
    }

    @Test func anEpochServesNothingUntilAllHaveEnteredIt() throws {
        var story = Story()
        story.controller.want(try members(1...2))
        story.settle()
        story.controller.want(try members(1...3))
        #expect(due(&story.controller, at: story.now) != nil)
        story.controller.begun(Epoch(5))
        story.follower = story.follower.begun(in: Epoch(5))
        story.sequence = 0
        #expect(
            story.controller.awaited == LogPosition(epoch: Epoch(5), sequence: SequenceNumber(0)))
        #expect(!step(&story), "no slot is served, and the abandoned change is not repeated")
        story.know()
        #expect(step(&story) && story.records.last == .served(below: SequenceNumber(1)))
        story.settle()
        #expect((1...3).allSatisfy { (5_461...5_462).contains(story.slots($0)) })
    }

    /// A publisher ends before or behind each record; the next one has the log alone.
    @Test func theNextPublisherGoesOnFromTheLogAlone() throws {
        let wishes = [try members(1...2), try members(1...4), try members(2...3)]
        for end in 0..<12 {
            var story = Story()
            var (count, isReplaced) = (0, false)
            for wish in wishes {
                story.controller.want(wish)
                for _ in 0..<20 where !story.controller.isSettled {
                    if count == end, !isReplaced {
                        isReplaced = true
                        // The record that was being appended is lost.
                        _ = story.controller.takeDue(now: story.now)
                        story.controller = SlotController(continuing: story.follower)
                        story.controller.want(wish)
                    }
                    count += 1
                    if !story.step() { story.know() }
                }
                #expect(story.controller.isSettled)
            }
            #expect([2, 3].map(story.slots) == [8_192, 8_192], "after \(end) steps")
            #expect(story.records.count == 6, "nothing is done twice, after \(end) steps")
        }
    }

    /// Rows first, then slots, and rows that go last; each part a whole change.
    @Test func aChangeThatDoesNotFitIsSeveral() throws {
        var table = SlotTable(beginningOf: Epoch(1))
        var sequence: UInt64 = 0
        func lead(to wanted: [SlotMember], _ limits: SlotPlan.Limits) -> [SlotChange] {
            var changes: [SlotChange] = []
            while let change = SlotPlan(from: table, to: wanted, limits: limits).change {
                sequence += 1
                let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
                guard table.apply(change, at: position), changes.count < 100 else {
                    Issue.record("the change does not fit the table, or leads nowhere")
                    break
                }
                changes.append(change)
            }
            return changes
        }
        let few = SlotPlan.Limits(bytes: 16 + 3 * 12, runs: 3)
        let all = try members(1...8)
        let sizes = lead(to: all, few).map { [$0.rows.count, $0.runs.count] }
        #expect(sizes == [[3, 0], [3, 0], [2, 1], [0, 3], [0, 3], [0, 1]])
        let four = Array(all.prefix(4))
        let last = lead(to: four, few)
        #expect(last.dropLast(2).allSatisfy { $0.rows.isEmpty })
        #expect(table.members.count == 4 && Set(table.owners).count == 4)
    }

    /// The figures of docs/performance.md: slots, records of a change, and their bytes.
    @Test(arguments: [(4, 51), (64, 532), (1_000, 158)])
    func aNodeMoreOrLessMovesItsShareInOneSmallRecord(_ count: Int, _ bytesMax: Int) throws {
        var story = Story()
        story.controller.want(try members(1...(count - 1)))
        story.settle()
        for last in [count, count - 1, count] {
            let before = story.controller.table
            let known = story.records.count
            story.controller.want(try members(1...last))
            story.settle()
            let moved = zip(before.owners, story.controller.table.owners).count { $0 != $1 }
            let sizes = story.records[known...].compactMap { record -> Int? in
                guard case .change(let change, _) = record else { return nil }
                return SlotRecord.headBytes + change.rows.reduce(0) { $0 + $1.encodedBytes }
                    + change.runs.count * SlotChange.Run.encodedBytes
            }
            #expect(moved == 16_384 / count, "a node more takes its share, a node less gives it")
            #expect(sizes.count == 1 && sizes.allSatisfy { $0 <= bytesMax }, "\(sizes)")
        }
    }

    @Test func theLargestClusterMayBeReplacedStepByStep() throws {
        var story = Story()
        story.controller.want(try members(1...1_000))
        story.settle()
        #expect(story.controller.table.members.count == 1_000)
        story.controller.want(try members(2...1_001))
        story.settle()
        #expect(story.slots(1) == 0 && story.slots(1_001) >= 16)
        #expect(story.controller.table.members.count == 1_000)
        story.controller.want(try members(2_001...3_000))
        story.settle()
        #expect((2_001...3_000).allSatisfy { (16...17).contains(story.slots($0)) })
        #expect(story.controller.table.members.count == 1_000)
    }

    /// A member that gets more shards waits until another has given some up.
    @Test func shardsAreGivenOnlyWhereTheTableHasRoom() throws {
        var story = Story()
        let others = try (2...16).map { try member($0, shards: 64) }
        story.controller.want([try member(1, shards: 32)] + others + [try member(17, shards: 32)])
        story.settle()
        story.controller.want([try member(1, shards: 64)] + others)
        story.settle()
        let shards = Dictionary(grouping: story.controller.table.owners.compactMap(\.self)) { $0 }
        #expect(shards.count == SlotTable.shardsMax && shards.values.allSatisfy { $0.count == 16 })
        #expect(story.controller.table.members.count == 16)
    }

    @Test func onlyTheRecordThatWasDueCounts() throws {
        var story = Story()
        story.controller.want(try members(1...2))
        let record = try #require(due(&story.controller, at: story.now))
        let place = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        #expect(!appended(&story.controller, .served(below: SequenceNumber(1)), at: place))
        #expect(story.controller.table == SlotTable(beginningOf: Epoch(1)))
        #expect(appended(&story.controller, record, at: place))
        story.controller.knownToAll(LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9)))
        #expect(!step(&story), "another position says nothing of this change")
    }
}
