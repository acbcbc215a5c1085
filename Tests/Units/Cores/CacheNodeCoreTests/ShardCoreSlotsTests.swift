import ByteCoding
import CacheInvalidation
import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Which keys a shard answers for, and which entries stay, where the log assigns slots:
/// docs/decisions/0120.
@Suite struct ShardCoreSlotsTests {
    private static let keys = (0..<64).map { "key-\($0)" }

    private static func slot(_ key: String) -> Int {
        Int(Array(key.utf8).withUnsafeBytes { HashSlot(of: $0) }.rawValue)
    }

    private static func keys(in slots: Range<Int>) -> Set<String> {
        Set(keys.filter { slots.contains(slot($0)) })
    }

    /// A shard of n1, and the table of the log that it follows.
    private struct Stage: ~Copyable {
        var shard: ShardHarness
        var table: SlotTable
        private var version: UInt32 = 7
        /// Records that the shard gets together, later; `nil`: it gets each at once.
        private var held: [SealedRecord]?

        /// - Parameter isLive: whether the node has a lease.
        init(isLive: Bool = true) {
            shard = ShardHarness(isLive: isLive)
            table = SlotTable(beginningOf: shard.log.head.position.epoch)
            shard.core.setTopology(frame: report(nil, asOf: .none), now: shard.now)
        }

        private func report(_ table: SlotTable?, asOf place: LogPosition) -> [UInt8] {
            let nodes = [1, 2].compactMap { NodeID("n\($0)") }.map {
                TopologyReport.Node(
                    id: $0, state: .live, endpoints: ["tcp://127.0.0.1:1"])
            }
            var report = TopologyReport(
                version: version, kind: .sharded, controlEndpoint: "", liveEndpoint: "",
                nodes: nodes)
            report.slots = table
            let note = MembersNote(
                isSettled: table == nil, isBySlots: table != nil,
                asOf: place)
            var writer = ByteWriter()
            report.encode(requestID: 0, note: note, into: &writer)
            return writer.array
        }

        /// The publisher reports the table, or the members.
        mutating func hear(_ table: SlotTable?, asOf place: LogPosition? = nil) {
            version += 1
            let asOf = place ?? (table == nil ? .none : shard.log.head.position)
            shard.core.setTopology(frame: report(table, asOf: asOf), now: shard.now)
        }

        /// The node is told to leave.
        mutating func drain() {
            var standing = NodeStanding.unheard
            standing.state = .draining
            standing.leaseExpiresAt = shard.now.advanced(by: .seconds(3_600))
            shard.core.setStanding(standing)
        }

        /// Whether the shard reports, at the end of a turn, that no work is under way any more.
        mutating func isDrained() -> Bool {
            var effects: [ShardEffect] = []
            shard.core.noteDrained(effects: &effects)
            return !effects.isEmpty
        }

        /// Another member that owns nothing yet.
        mutating func join(_ number: UInt16) throws {
            let member = SlotMember(
                node: try #require(NodeID("n\(number)")), state: .member, shardCount: 1,
                weightThousandths: 1_000)
            let change = SlotChange(rows: [.init(MemberNumber(number), member)], runs: [])
            var next = table
            _ = next.apply(change, at: shard.log.head.position.next)
            try append(.change(change, digest: next.digest))
        }

        /// A record that the shard does not get.
        mutating func lose(_ change: SlotChange) throws {
            var next = table
            _ = next.apply(change, at: shard.log.head.position.next)
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: shard.log.head.position.next,
                    previousDigest: shard.log.head.digest,
                    slots: .change(change, digest: next.digest)))
            shard.log.goOn(after: sealed)
            table = next
        }

        mutating func append(_ record: SlotRecord) throws {
            let place = shard.log.append([.key("none")])
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: place.position, previousDigest: place.record.previousDigest,
                    slots: record))
            shard.log.goOn(after: sealed)
            let isFolded = table.fold(record, at: sealed.position)
            #expect(isFolded)
            held?.append(sealed)
            if held == nil { apply([sealed]) }
        }

        private mutating func apply(_ records: [SealedRecord]) {
            shard.core.apply(records, isAwaited: true, now: shard.now, effects: &shard.effects)
        }

        mutating func hold() { held = [] }

        mutating func release() {
            apply(held ?? [])
            held = nil
        }

        /// Gives slots to a node; they are not served yet.
        mutating func give(_ slots: Range<Int>, to number: UInt16) throws {
            let owner = SlotOwner(member: MemberNumber(number), shard: 0)
            let first = try #require(HashSlot(slots.lowerBound))
            let run = try #require(
                SlotChange.Run(first: first, count: slots.count, owner: owner))
            let member = SlotMember(
                node: try #require(NodeID("n\(number)")), state: .member, shardCount: 1,
                weightThousandths: 1_000)
            let rows =
                table.members[owner.member] == nil ? [SlotChange.Row(owner.member, member)] : []
            let change = SlotChange(rows: rows, runs: [run])
            var next = table
            _ = next.apply(change, at: shard.log.head.position.next)
            try append(.change(change, digest: next.digest))
        }

        mutating func serve() throws {
            let unserved = try #require(table.unserved)
            try append(.served(below: SequenceNumber(unserved.rawValue + 1)))
        }

        mutating func store(_ keys: Set<String>, _ value: String = "old") {
            for key in keys { _ = shard.set(key, value) }
        }

        mutating func answers() -> [ResultStatus: Set<String>] {
            var answers: [ResultStatus: Set<String>] = [:]
            for key in ShardCoreSlotsTests.keys {
                answers[status(of: key), default: []].insert(key)
            }
            return answers
        }

        /// What a reader gets that chose the node by this version of the topology.
        mutating func status(of key: String, routedBy version: UInt32) -> ResultStatus {
            var writer = ByteWriter()
            var message = MessageWriter(.get, requestID: 1, into: &writer)
            message.field(MessageFields.ID.topology, version, into: &writer)
            Array(key.utf8).withUnsafeBytes {
                GetOperation.append(key: $0, options: [], to: &writer)
            }
            message.finish(&writer, count: 1)
            return shard.only(writer.array).status
        }

        /// The version of the topology that a reply names.
        mutating func toldVersion() -> UInt32? {
            guard let key = ShardCoreSlotsTests.keys.first,
                case .results(let proof, _) = shard.send(shard.getFrame([key])).first
            else { return nil }
            return proof.topologyVersion
        }

        /// What a reader gets, if the owner before of an arrived slot does not answer.
        private mutating func status(of key: String) -> ResultStatus {
            if case .results(_, let outcomes)? = shard.send(shard.getFrame([key])).first {
                return outcomes[0].status
            }
            shard.advance(by: HandOverLimits.readerWaitMax)
            return shard.finishedOutcomes()[0].status
        }
    }

    private static let all = 0..<16_384
    private static let (low, high) = (0..<8_000, 8_000..<16_384)

    /// All slots are n1's and served, and each key has an entry.
    private func filled() throws -> Stage {
        var stage = Stage()
        try stage.give(Self.all, to: 1)
        try stage.serve()
        stage.store(Set(Self.keys))
        #expect(stage.answers() == [.hit: Set(Self.keys)])
        return stage
    }

    @Test func slotsAreAnsweredOnceTheyAreServed() throws {
        var stage = Stage()
        try stage.give(Self.low, to: 1)
        #expect(stage.answers() == [.busy: Set(Self.keys)])
        try stage.serve()
        let own = Self.keys(in: Self.low)
        let others = Set(Self.keys).subtracting(own)
        #expect(stage.answers() == [.miss: own, .busy: others])
        let foreign = try #require(others.min())
        #expect(stage.shard.set(foreign, "x").status == .busy)
        #expect(stage.shard.only(stage.shard.deleteFrame([foreign])).status == .busy)
    }

    /// The keys of a reader that chose the node by the newest table are not looked at.
    @Test func aReadIsTrustedOnlyByTheVersionOfTheTableInForce() throws {
        var stage = Stage()
        try stage.give(Self.low, to: 1)
        try stage.serve()
        let foreign = try #require(Self.keys(in: Self.high).min())
        #expect(stage.status(of: foreign, routedBy: 8) == .busy, "it was not reported yet")
        stage.hear(stage.table)
        #expect(stage.status(of: foreign, routedBy: 8) == .miss)
        #expect(stage.status(of: foreign, routedBy: 7) == .busy)
        try stage.give(8_000..<8_001, to: 1)
        #expect(stage.status(of: foreign, routedBy: 8) == .busy, "owners are others than in it")
        stage.hear(stage.table)
        #expect(stage.status(of: foreign, routedBy: 9) == .busy, "not all slots are served")
        try stage.serve()
        stage.hear(stage.table)
        #expect(stage.status(of: foreign, routedBy: 10) == .miss)
    }

    @Test func repliesCarryNoTopologyVersionUntilTheTableInForceIsReported() throws {
        var stage = try filled()
        var standing = NodeStanding.unheard
        standing.state = .live
        standing.leaseExpiresAt = stage.shard.now.advanced(by: .seconds(60))
        standing.topologyVersion = 8
        stage.shard.core.setStanding(standing)
        stage.hear(stage.table)
        #expect(stage.toldVersion() == 8)
        try stage.join(2)
        #expect(stage.toldVersion() == 0)
        stage.hear(stage.table)
        #expect(stage.toldVersion() == 8, "the node says which it has")
    }

    @Test func entriesInSlotsThatStayAreShownThroughAMove() throws {
        var stage = try filled()
        try stage.give(Self.high, to: 2)
        let (stays, gone) = (Self.keys(in: Self.low), Self.keys(in: Self.high))
        #expect(stage.answers() == [.hit: stays, .busy: gone])
        try stage.serve()
        #expect(stage.answers() == [.hit: stays, .busy: gone])
    }

    /// Else a client would be refused between the order to drain and the move of the slots.
    @Test func aShardThatDrainsTakesStoresUntilOthersHaveItsSlots() throws {
        var stage = try filled()
        try stage.join(2)
        stage.drain()
        let key = try #require(Self.keys.first)
        #expect(stage.shard.set(key, "new").status == .stored)
        var isDrained = stage.isDrained()
        #expect(!isDrained)
        try stage.give(Self.all, to: 2)
        #expect(stage.shard.set(key, "newer").status == .busy)
        isDrained = stage.isDrained()
        #expect(isDrained)
    }

    /// Another run of the node may have the lease, and what that stores is not known here.
    @Test(arguments: [false, true])
    func aRunThatIsToldToLeaveStoresOnlyIfItHasHadALease(hasHadLease: Bool) throws {
        var stage = Stage(isLive: hasHadLease)
        try stage.give(Self.all, to: 1)
        try stage.serve()
        try stage.join(2)
        var standing = NodeStanding.unheard
        standing.state = .draining
        stage.shard.core.setStanding(standing)
        let key = try #require(Self.keys.first)
        #expect(stage.shard.set(key, "x").status == (hasHadLease ? .stored : .busy))
    }

    @Test func aShardThatDrainsWithNobodyToTakeItsSlotsLeaves() throws {
        var stage = try filled()
        stage.drain()
        let key = try #require(Self.keys.first)
        #expect(stage.shard.set(key, "new").status == .refused)
        let isDrained = stage.isDrained()
        #expect(isDrained)
    }

    /// The publisher was started with an empty log that assigns none.
    @Test func slotsEndWithAReportOfMembersInALaterEpoch() throws {
        var stage = try filled()
        stage.hear(nil)
        #expect(stage.answers() == [.hit: Set(Self.keys)], "it was made before the first record")
        let place = LogPosition(
            epoch: stage.shard.log.head.position.epoch.next, sequence: .none)
        stage.hear(nil, asOf: place)
        #expect(stage.answers() == [.hit: Set(Self.keys)], "the shard is not in that epoch yet")
        stage.shard.core.forget(
            continuingFrom: LogMark(position: place, digest: LogDigest(0)), of: LogID(1),
            isPending: false, now: stage.shard.now, effects: &stage.shard.effects)
        stage.hear(nil, asOf: place)
        let owned = stage.answers()[.busy]?.count ?? 0
        #expect(owned < Self.keys.count, "keys are answered by members again")
    }

    @Test func entriesInSlotsThatMovedAwayAndBackAreHidden() throws {
        var stage = try filled()
        try stage.give(Self.high, to: 2)
        try stage.serve()
        try stage.give(Self.high, to: 1)
        let (stays, back) = (Self.keys(in: Self.low), Self.keys(in: Self.high))
        #expect(stage.answers() == [.hit: stays, .busy: back])
        try stage.serve()
        #expect(stage.answers() == [.hit: stays, .miss: back])
    }

    @Test func aTokenFromBeforeASlotMovedAwayAndBackStoresNothing() throws {
        var stage = try filled()
        let key = try #require(Self.keys(in: Self.high).min())
        _ = stage.shard.invalidate(.key(key))
        var late = SetOperation.Description()
        late.token = stage.shard.token(for: key)
        for owner: UInt16 in [2, 1] {
            try stage.give(Self.high, to: owner)
            try stage.serve()
        }
        #expect(stage.shard.set(key, "late", late).status == .refused)
    }

    private func change(_ slots: Range<Int>, to number: UInt16) throws -> SlotChange {
        let first = try #require(HashSlot(slots.lowerBound))
        let owner = SlotOwner(member: MemberNumber(number), shard: 0)
        let run = try #require(SlotChange.Run(first: first, count: slots.count, owner: owner))
        return SlotChange(rows: [], runs: [run])
    }

    /// The names that were invalidated meanwhile spare every entry, and each was visited since.
    @Test func entriesSparedOverAGapAreHiddenIfTheirSlotsMovedAwayAndBackInIt() throws {
        var stage = try filled()
        try stage.join(2)
        for number: UInt16 in [2, 1] { try stage.lose(change(Self.high, to: number)) }
        let mark = stage.shard.log.head
        stage.shard.core.forget(
            continuingFrom: mark, of: LogID(1), isPending: true, now: stage.shard.now,
            effects: &stage.shard.effects)
        stage.shard.core.settle(TouchedScopes(), from: mark)
        for _ in 0..<200 {
            stage.shard.advance(by: .milliseconds(100))
            stage.shard.core.tick(now: stage.shard.now)
        }
        stage.hear(stage.table)
        try stage.serve()
        let (stays, back) = (Self.keys(in: Self.low), Self.keys(in: Self.high))
        #expect(stage.answers() == [.hit: stays, .miss: back])
    }

    @Test func aTokenFromBeforeAGapInWhichSlotsMovedStoresNothing() throws {
        var stage = try filled()
        try stage.join(2)
        let key = try #require(Self.keys(in: Self.low).min())
        _ = stage.shard.invalidate(.key(key))
        var late = SetOperation.Description()
        late.token = stage.shard.token(for: key)
        _ = stage.shard.log.append([.key(key)])
        try stage.lose(change(Self.high, to: 2))
        stage.shard.core.forget(
            continuingFrom: stage.shard.log.head, now: stage.shard.now,
            effects: &stage.shard.effects)
        stage.hear(stage.table)
        try stage.serve()
        #expect(stage.shard.set(key, "late", late).status == .refused)
    }

    @Test func afterAGapAReportOfThatPlaceIsNeeded() throws {
        var stage = try filled()
        let before = stage.table
        let mark = stage.shard.log.append([.key("unheard")]).mark
        stage.hear(before)
        let busy: [ResultStatus: Set<String>] = [.busy: Set(Self.keys)]
        stage.shard.core.forget(
            continuingFrom: mark, now: stage.shard.now, effects: &stage.shard.effects)
        #expect(stage.answers() == busy)
        stage.hear(nil)
        #expect(stage.answers() == busy, "a report of members was made before slots began")
        stage.hear(before)
        #expect(stage.answers() == [.miss: Set(Self.keys)], "all was hidden by the gap")
    }

    /// It was asked for in the epoch before, or its table is of before a record.
    @Test func aReportFromBeforeARecordThatWasAppliedIsIgnored() throws {
        var stage = try filled()
        let before = stage.table
        stage.shard.core.forget(
            continuingFrom: stage.shard.log.head, now: stage.shard.now,
            effects: &stage.shard.effects)
        try stage.give(Self.high, to: 2)
        stage.hear(before)
        #expect(stage.answers() == [.busy: Set(Self.keys)])
        stage.hear(stage.table)
        #expect(stage.answers()[.miss] == Self.keys(in: Self.low))
    }

    /// Taking it over hides entries, which takes a stamp of its own: the record after it keeps its
    /// position.
    @Test func aReportThatIsTakenOverBetweenTwoRecordsIsFollowedByTheSecond() throws {
        var stage = try filled()
        stage.shard.core.forget(
            continuingFrom: stage.shard.log.head, now: stage.shard.now,
            effects: &stage.shard.effects)
        stage.hold()
        try stage.give(Self.high, to: 2)
        stage.hear(stage.table)
        try stage.serve()
        stage.release()
        let (low, high) = (Self.keys(in: Self.low), Self.keys(in: Self.high))
        #expect(stage.answers() == [.miss: low, .busy: high])
        stage.hear(stage.table)
        #expect(stage.answers() == [.miss: low, .busy: high])
    }

    @Test func inAnotherLogMembersShareTheKeysAgain() throws {
        var stage = try filled()
        let start = LogMark(
            position: LogPosition(epoch: Epoch(9), sequence: .none), digest: LogDigest(4))
        stage.shard.core.forget(
            continuingFrom: start, of: LogID(4), now: stage.shard.now,
            effects: &stage.shard.effects)
        stage.shard.core.forget(
            continuingFrom: start, of: LogID(5), now: stage.shard.now,
            effects: &stage.shard.effects)
        stage.hear(nil)
        #expect(stage.answers()[.miss] != nil)
    }
}
