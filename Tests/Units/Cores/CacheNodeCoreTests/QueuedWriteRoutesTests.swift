import CacheLoading
import CacheModel
import Testing

@testable import CacheNodeCore

/// Where the queued writes of n1 go while one slot has other owners.
@Suite struct QueuedWriteRoutesTests {
    private struct Log {
        private(set) var table = SlotTable(beginningOf: Epoch(1))
        private(set) var head: UInt64 = 0
        private(set) var successions: [HashSlot: SlotSuccession] = [:]

        /// All slots are a node's from the next record on.
        mutating func give(to number: UInt16, shard: UInt8 = 0) throws {
            let member = SlotMember(
                node: try #require(NodeID("n\(number)")), state: .member, shardCount: 2,
                weightThousandths: 1_000)
            let first = try #require(HashSlot(0))
            let owner = SlotOwner(member: MemberNumber(number), shard: shard)
            let run = try #require(
                SlotChange.Run(first: first, count: HashSlot.count, owner: owner))
            let row = SlotChange.Row(MemberNumber(number), member)
            let change = SlotChange(
                rows: table.members[MemberNumber(number)] == nil ? [row] : [], runs: [run])
            note(owner, from: table)
            head += 1
            let isApplied = table.apply(change, at: at(head))
            #expect(isApplied)
        }

        private mutating func note(_ owner: SlotOwner, from before: SlotTable) {
            for index in 0..<HashSlot.count {
                guard let slot = HashSlot(index) else { continue }
                let last = before.since[index]
                if before[slot]?.member == owner.member {
                    successions[slot] =
                        successions[slot] ?? SlotSuccession(began: last, predecessor: nil)
                } else {
                    successions[slot] = SlotSuccession(
                        began: SequenceNumber(head + 1), predecessor: last)
                }
            }
        }

        mutating func pass(_ count: UInt64) { head += count }

        func at(_ sequence: UInt64) -> LogPosition {
            LogPosition(epoch: table.position.epoch, sequence: SequenceNumber(sequence))
        }

        mutating func begin(_ epoch: Epoch) {
            table = table.begun(in: epoch)
            (head, successions) = (0, [:])
        }
    }

    private static var line: WriteLine {
        guard let key = CacheKey("a") else { preconditionFailure("it is a key") }
        return WriteLine(namespace: .default, key: key)
    }

    private var log = Log()
    private var routes: QueuedWriteRoutes

    init() throws {
        routes = QueuedWriteRoutes(node: try #require(NodeID("n1")))
        _ = routes.setLeased(true)
    }

    private mutating func tell() {
        _ = routes.update(.known(log.table, log.successions))
    }

    private func route(from sequence: UInt64?) -> WriteRoute {
        routes.route(Self.line, sequence.map { log.at($0) })
    }

    private func node(_ number: Int, _ sequence: UInt64?) throws -> WriteRoute {
        .node(try #require(NodeID("n\(number)")), ownedSince: sequence.map { log.at($0) })
    }

    @Test func beforeAnythingIsKnownTheyWait() {
        #expect(route(from: 3) == .unknown)
    }

    @Test mutating func whereKeysDoNotMoveTheyGoToTheOrigin() {
        _ = routes.setTopology(isBySlots: false, asOf: log.at(1))
        #expect(route(from: nil) == .origin)
        #expect(route(from: 0) == .origin)
        _ = routes.setTopology(isBySlots: true, asOf: log.at(1))
        #expect(route(from: 0) == .unknown, "slots begin, and no shard knows them yet")
    }

    @Test mutating func theNextOwnerIsToldTheOwnershipThatItFollowed() throws {
        try log.give(to: 1)
        tell()
        log.pass(9)
        try log.give(to: 1, shard: 1)
        tell()
        #expect(route(from: 1) == .origin, "a move between shards of the node is none")
        try log.give(to: 2)
        tell()
        #expect(route(from: 1) == (try node(2, 11)))
        #expect(route(from: 11) == (try node(2, 11)))
        #expect(route(from: nil) == (try node(2, nil)))
    }

    @Test mutating func aWriteFromBeforeAnOwnershipThatWasInterruptedIsSetAside() throws {
        try log.give(to: 1)
        tell()
        try log.give(to: 2)
        tell()
        try log.give(to: 1)
        tell()
        #expect(route(from: 1) == .aside)
        #expect(route(from: 3) == .origin)
        #expect(route(from: nil) == .origin, "an operator wants it")
        log.pass(4)
        try log.give(to: 3)
        tell()
        #expect(route(from: 1) == (try node(3, 1)), "of an earlier ownership")
        #expect(route(from: 3) == (try node(3, 3)))
    }

    /// The records of both moves came in one turn.
    @Test mutating func aSlotThatWasAwayAndCameBackUnseenWasAway() throws {
        try log.give(to: 1)
        tell()
        try log.give(to: 2)
        try log.give(to: 1, shard: 1)
        tell()
        #expect(route(from: 1) == .aside)
    }

    @Test mutating func aSlotThatCameToAnotherShardAfterAGapMayHaveBeenAway() throws {
        try log.give(to: 1)
        tell()
        try log.give(to: 1, shard: 1)
        _ = routes.update(.known(log.table, [:]))
        #expect(route(from: 1) == .aside)
    }

    @Test mutating func aLateReportOfMembersChangesNothing() throws {
        try log.give(to: 2)
        tell()
        _ = routes.setTopology(isBySlots: false, asOf: log.at(0))
        #expect(route(from: 1) == (try node(2, 1)))
        let next = LogPosition(epoch: Epoch(2), sequence: .none)
        _ = routes.setTopology(isBySlots: false, asOf: next)
        #expect(route(from: 1) == .origin, "another log, which assigns no slots")
    }

    @Test mutating func withoutALeaseAnotherNodeMayHaveTheKeys() throws {
        try log.give(to: 1)
        tell()
        let isNews = routes.setLeased(false)
        #expect(isNews)
        #expect(route(from: 1) == .unknown)
        #expect(route(from: nil) == .unknown)
        let isNewsAgain = routes.setLeased(false)
        #expect(!isNewsAgain)
        _ = routes.setLeased(true)
        #expect(route(from: 1) == .origin)
    }

    @Test mutating func whileRecordsAreMissingTheyWait() throws {
        try log.give(to: 1)
        tell()
        _ = routes.update(.unknown)
        #expect(route(from: 1) == .unknown)
        tell()
        #expect(route(from: 1) == .origin)
    }

    /// Its other shards may be ahead of the one that tells the owners.
    @Test mutating func aWriteOfARecordThatIsNotKnownYetWaitsForIt() throws {
        try log.give(to: 1)
        tell()
        #expect(route(from: 7) == .unknown)
    }

    @Test mutating func aMoveBetweenItsShardsGivesWritesTheNewRecord() throws {
        try log.give(to: 1)
        tell()
        log.pass(3)
        try log.give(to: 1, shard: 1)
        let renewed = try renewal()
        #expect(renewed(Self.line, log.at(1)) == log.at(5))
        #expect(renewed(Self.line, log.at(5)) == nil)
        try log.give(to: 2)
        let lost = try renewal()
        #expect(lost(Self.line, log.at(5)) == nil)
    }

    private mutating func renewal() throws -> @Sendable (WriteLine, LogPosition) -> LogPosition? {
        let position = routes.update(.known(log.table, log.successions))
        return try #require(position)
    }

    private static let earlier = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))

    /// A node does not know what was between: it forgets, and loses its lease.
    @Test mutating func afterANewEpochNothingIsProven() throws {
        try log.give(to: 1)
        tell()
        log.begin(Epoch(2))
        let renewed = try renewal()
        #expect(renewed(Self.line, Self.earlier) == nil)
        #expect(routes.route(Self.line, Self.earlier) == .aside)
        #expect(routes.route(Self.line, log.at(0)) == .origin)
    }

    @Test mutating func theJournalOfAnotherLogIsRefusedByAnyOwner() throws {
        try log.give(to: 2)
        let other = LogPosition(epoch: Epoch(8), sequence: SequenceNumber(1))
        let renewed = try renewal()
        #expect(renewed(Self.line, other) == LogPosition.none)
    }

    @Test mutating func theJournalOfAnotherLogIsSetAside() throws {
        try log.give(to: 1)
        let other = LogPosition(epoch: Epoch(8), sequence: SequenceNumber(1))
        let renewed = try renewal()
        #expect(renewed(Self.line, other) == LogPosition.none)
        #expect(routes.route(Self.line, LogPosition.none) == .aside)
    }
}
