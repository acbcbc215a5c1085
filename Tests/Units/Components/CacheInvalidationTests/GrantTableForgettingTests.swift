import CacheInvalidation
import CacheModel
import Testing

/// What is dropped of nodes that are gone, and what must not be.
@Suite struct GrantTableForgettingTests {
    private let nodes: [NodeID]
    private var table: GrantTable
    private let mark = LogMark(position: .at(5), digest: LogDigest(5))

    init() throws {
        nodes = try ["n1", "n2"].map { try #require(NodeID($0)) }
        table = GrantTable(nodes: nodes, lease: .seconds(3), start: .seconds(100))
    }

    private func run(_ node: Int, _ incarnation: UInt64) -> NodeRun {
        NodeRun(node: nodes[node], incarnation: Incarnation(incarnation))
    }

    private mutating func live(_ run: NodeRun, at second: Double, until end: Double) throws {
        try table.introduce(run, reporting: mark, of: .none, now: .seconds(second))
        table.heard(run, reporting: mark, provenIn: Chain.log, now: .seconds(second))
        let isGranted = table.grant(
            run, isOfTheLog: true,
            by: LeaseAnswer(
                head: .at(5), askedAt: .seconds(second), answeredAt: .seconds(second),
                grantEnds: .seconds(end)))
        #expect(isGranted)
    }

    @Test mutating func aGrantThatLastsKeepsItsRun() throws {
        try live(run(0, 1), at: 200, until: 210)
        let tie = GrantTable.Tie.leased(until: .seconds(210), isHeard: true)
        for second in [200, 209.999] {
            #expect(throws: tie) { try table.drop(nodes[0], now: .seconds(second)) }
        }
        #expect(table.holders(at: .seconds(205)) == [run(0, 1)])
        let dropped = try table.drop(nodes[0], now: .seconds(210))
        #expect(dropped.newest == Incarnation(1) && dropped.runCount == 1)
        #expect(table.newestEntry(of: nodes[0]) == nil && table.isRegistered(nodes[0]))
    }

    @Test mutating func anOlderRunsGrantKeepsTheNodeToo() throws {
        try live(run(0, 1), at: 200, until: 210)
        try table.introduce(run(0, 2), reporting: mark, of: .none, now: .seconds(201))
        #expect(throws: GrantTable.Tie.leased(until: .seconds(210), isHeard: true)) {
            try table.drop(nodes[0], now: .seconds(205))
        }
        let dropped = try table.drop(nodes[0], now: .seconds(210))
        #expect(dropped.newest == Incarnation(2) && dropped.runCount == 2)
        #expect(table.everyEntry.isEmpty)
    }

    @Test mutating func aNodeCannotBeDroppedBeforeItsInheritedGrantEnds() throws {
        #expect(throws: GrantTable.Tie.leased(until: .seconds(103.03), isHeard: false)) {
            try table.drop(nodes[0], now: .seconds(101))
        }
        #expect(table.holders(at: .seconds(101)).count == 2)
        let dropped = try table.drop(nodes[0], now: .seconds(103.03))
        #expect(dropped.newest == .none && dropped.runCount == 0)
        #expect(table.isRegistered(nodes[0]))
    }

    @Test mutating func aStrangerIsNotRegisteredUnlessARunOfItIsKnown() throws {
        let stranger = try #require(NodeID("n9"))
        #expect(throws: GrantTable.Tie.notRegistered) {
            try table.drop(stranger, now: .seconds(200))
        }
        try live(run(0, 1), at: 200, until: 210)
        table.register([nodes[1]])
        #expect(throws: GrantTable.Tie.leased(until: .seconds(210), isHeard: true)) {
            try table.drop(nodes[0], now: .seconds(205))
        }
        let dropped = try table.drop(nodes[0], now: .seconds(210))
        #expect(dropped.runCount == 1)
    }

    @Test mutating func aRunThatComesBackIntroducesItself() throws {
        try live(run(0, 1), at: 200, until: 210)
        _ = try table.drop(nodes[0], now: .seconds(210))
        #expect(table.run(of: Incarnation(1)) == nil, "it is told to introduce itself")
        try live(run(0, 1), at: 211, until: 214)
        #expect(table.holders(at: .seconds(213)) == [run(0, 1)])
    }

    private mutating func dropSilent(at second: Double) -> Int {
        table.dropSilent(for: .seconds(60), now: .seconds(second))
    }

    @Test mutating func silenceIsCountedFromTheGrantsEndOrTheLastMessage() throws {
        try live(run(0, 1), at: 200, until: 210)
        try table.introduce(run(1, 2), reporting: mark, of: .none, now: .seconds(200))
        #expect(dropSilent(at: 259) == 0)
        // The one has a grant as far as the table was told; the other was never given one.
        #expect(dropSilent(at: 260) == 1)
        #expect(table.everyEntry.map(\.run) == [run(0, 1)])
        _ = table.expire(at: .seconds(210))
        #expect(dropSilent(at: 269.9) == 0)
        table.heard(run(0, 1), reporting: mark, provenIn: nil, now: .seconds(240))
        #expect(dropSilent(at: 299.9) == 0)
        #expect(dropSilent(at: 300) == 1)
        #expect(table.newestEntry(of: nodes[0]) == nil)
    }
}
