import ByteCoding
import CacheModel
import CacheWire
import Testing

/// The owners of keys where the log assigns slots, as a topology report has them.
@Suite struct SlotOwnersTests {
    private static let position = LogPosition(epoch: Epoch(3), sequence: SequenceNumber(9))

    /// Node n1 owns the slots below 6 000 with its second shard, n2 those up to 12 000.
    private func table() throws -> SlotTable {
        let rows = try (1...2).map { number in
            SlotChange.Row(
                MemberNumber(UInt16(number)),
                SlotMember(
                    node: try #require(NodeID("n\(number)")), state: .member, shardCount: 2,
                    weightThousandths: 1_000))
        }
        let runs = try [(0, 6_000, 1, 1), (6_000, 6_000, 2, 0)].map { first, count, member, shard in
            let owner = SlotOwner(member: MemberNumber(UInt16(member)), shard: UInt8(shard))
            let slot = try #require(HashSlot(first))
            let run = try #require(SlotChange.Run(first: slot, count: count, owner: owner))
            return (run: run, since: SequenceNumber(7))
        }
        return try #require(
            SlotTable(at: Self.position, servedBelow: SequenceNumber(8), rows: rows, runs: runs))
    }

    private func report(_ nodes: [String], shards: Int = 2) throws -> TopologyReport {
        var report = TopologyReport(
            version: 4, kind: .sharded, controlEndpoint: "tcp://127.0.0.1:1",
            liveEndpoint: "tcp://127.0.0.1:2",
            nodes: try nodes.map { name in
                TopologyReport.Node(
                    id: try #require(NodeID(name)), state: .live,
                    endpoints: (0..<shards).map { "tcp://127.0.0.1:1\($0)" })
            })
        report.slots = try table()
        return report
    }

    private func route(_ slot: Int, hash: UInt64 = 5) throws -> RouteHash {
        RouteHash(hash, slot: try #require(HashSlot(slot)))
    }

    // MARK: Owners

    @Test func requestsGoToShardsWithSlotsAlone() throws {
        let topology = Topology(try report(["n1", "n2"]))
        let asked = topology.shards.indices.map { topology.isAsked(ShardNumber($0)) }
        #expect(asked == [false, true, true, false])
        var none = try report(["n1", "n2"])
        none.slots = SlotTable(beginningOf: Epoch(3))
        #expect(Topology(none).isAsked(ShardNumber(0)), "it will get slots")
        none.slots = nil
        #expect(Topology(none).isAsked(ShardNumber(0)))
    }

    @Test func theOwnerIsTheSlotsWhateverTheHashOfTheKeyIs() throws {
        let topology = Topology(try report(["n2", "n1"]))
        for hash in UInt64(0)..<100 {
            #expect(topology.owner(of: try route(0, hash: hash)) == ShardNumber(3))
            #expect(topology.owner(of: try route(5_999, hash: hash)) == ShardNumber(3))
            #expect(topology.owner(of: try route(6_000, hash: hash)) == ShardNumber(0))
            #expect(topology.owner(of: try route(12_000, hash: hash)) == nil, "it has no owner")
        }
    }

    @Test func anOwnerThatIsNoNodeOrHasFewerShardsOwnsNothing() throws {
        #expect(Topology(try report(["n2"])).owner(of: try route(0)) == nil)
        let few = Topology(try report(["n1", "n2"], shards: 1))
        #expect(few.owner(of: try route(0)) == nil)
        #expect(few.owner(of: try route(6_000)) == ShardNumber(1))
    }

    @Test func whereTheOwnerDoesNotAnswerAnotherNodeStandsIn() throws {
        let topology = Topology(try report(["n1", "n2", "n3"]))
        for hash in UInt64(0)..<100 {
            let route = try route(0, hash: hash)
            #expect(topology.owner(of: route) { _ in true } == ShardNumber(1))
            let other = try #require(topology.owner(of: route) { $0 != NodeIndex(0) })
            #expect(topology[other].nodeIndex != NodeIndex(0))
        }
    }

    @Test func onItsNodeTheOwnerIsAskedAndElsewhereOneOfTheShards() throws {
        let topology = Topology(try report(["n1", "n2"]))
        let route = try route(0)
        #expect(topology.shard(of: route, on: NodeIndex(0)) == ShardNumber(1))
        let other = try #require(topology.shard(of: route, on: NodeIndex(1)))
        #expect(topology[other].nodeIndex == NodeIndex(1))
    }

    @Test func aKeyHasTheSlotOfRedisCluster() {
        let route = RouteHash(of: Array("123456789".utf8), in: .default)
        #expect(route.slot.rawValue == 0x31C3)
    }

    // MARK: The report

    private func encoded(_ report: TopologyReport, _ note: MembersNote?) -> [UInt8] {
        var writer = ByteWriter()
        report.encode(requestID: 1, note: note, into: &writer)
        return writer.array
    }

    private func decoded(_ bytes: [UInt8]) throws -> (TopologyReport, MembersNote?) {
        try bytes.withUnsafeBytes {
            let message = try MessageView(decoding: $0)
            return (try TopologyReport(decoding: message), message.fields.members)
        }
    }

    @Test(arguments: [true, false])
    func theTableTravelsInTheReport(hasSeveralPublishers: Bool) throws {
        var report = try report(["n1", "n2"])
        report.hasSeveralPublishers = hasSeveralPublishers
        let note = MembersNote(isSettled: false, isBySlots: true, asOf: Self.position)
        let (again, told) = try decoded(encoded(report, note))
        #expect(again == report && told == note)
    }

    @Test func aTableThatIsCutOffOrContradictsItselfIsMalformed() throws {
        let report = try report(["n1", "n2"])
        let whole = encoded(report, nil)
        let tableBytes = try #require(report.slots).encoded.count
        for cut in 1...tableBytes {
            var bytes = Array(whole.dropLast(cut))
            let bodyBytes = UInt32(bytes.count - 24 - Int(bytes[18]))
            bytes.replaceSubrange(
                20..<24, with: withUnsafeBytes(of: bodyBytes.littleEndian, Array.init))
            #expect(throws: WireRefusal.self) { try decoded(bytes) }
        }
        var plain = report
        plain.slots = nil
        var bytes = encoded(plain, nil)
        let options = 24 + Int(bytes[18]) + 5
        bytes[options] = 4
        #expect(throws: WireRefusal.self, "an unknown option") { try decoded(bytes) }
        bytes[options] = 2
        #expect(throws: WireRefusal.self, "no table follows") { try decoded(bytes) }
    }
}
