import CacheInvalidation
import CacheModel
import Testing

@Suite struct GrantTableTests {
    private let nodes: [NodeID]
    private var table: GrantTable
    /// The second of the last answer to a request for a lease.
    private var answered = 99.0
    /// The second of the next request; `nil`: that of its answer.
    private var asked: Double?
    private let mark = LogMark(position: .at(5), digest: LogDigest(5))

    init() throws {
        nodes = try ["n1", "n2", "n3"].map { try #require(NodeID($0)) }
        table = GrantTable(nodes: nodes, lease: .seconds(3), start: .seconds(100))
    }

    private func run(_ node: Int, _ incarnation: UInt64) -> NodeRun {
        NodeRun(node: nodes[node], incarnation: Incarnation(incarnation))
    }

    private mutating func introduce(
        _ run: NodeRun, log: LogID = .none, at second: Double = 100
    ) throws(GrantTable.Refusal) {
        try table.introduce(run, reporting: mark, of: log, now: .seconds(second))
    }

    /// Each answer is a second later than the one before.
    @discardableResult
    private mutating func grant(
        _ run: NodeRun, applied: UInt64 = 5, head: UInt64 = 5, until second: Double,
        isOfTheLog: Bool = true
    ) -> Bool {
        let mark = LogMark(position: .at(applied), digest: LogDigest(applied))
        table.heard(
            run, reporting: mark, provenIn: isOfTheLog ? Chain.log : nil, now: .seconds(100))
        answered += 1
        return table.grant(
            run, isOfTheLog: isOfTheLog,
            by: LeaseAnswer(
                head: .at(head), askedAt: .seconds(asked ?? answered),
                answeredAt: .seconds(answered), grantEnds: .seconds(second)))
    }

    @Test mutating func unheardNodesHoldALeaseUntilHeardOrUntilItEnds() throws {
        #expect(table.holders(at: .seconds(101)).count == 3)
        try introduce(run(0, 1))
        #expect(Set(table.holders(at: .seconds(101))) == [.unheard(nodes[1]), .unheard(nodes[2])])
        #expect(!table.isEveryNodeHeard)
        #expect(table.nextEnd == .seconds(103.03))
        #expect(table.holders(at: .seconds(103.03)) == [])
        let expired = table.expire(at: .seconds(103.03))
        #expect(Set(expired) == [.unheard(nodes[1]), .unheard(nodes[2])])
        #expect(table.expire(at: .seconds(104)) == [])
        #expect(table.nextEnd == nil)
    }

    @Test mutating func twoActiveRunsOfANodeAreReportedAsDuplicates() throws {
        try introduce(run(0, 1), at: 100)
        try introduce(run(1, 9), at: 100)
        grant(run(0, 1), until: 110)
        try introduce(run(0, 2), at: 101)
        /// Has runs heard each second, and tells of which nodes two processes run at the end.
        func told(_ runs: [NodeRun], _ seconds: ClosedRange<Int>) -> [NodeID] {
            for second in seconds {
                for run in runs {
                    table.heard(
                        run, reporting: mark, provenIn: nil, now: .seconds(Double(second)))
                }
            }
            return table.duplicateNodes(at: .seconds(Double(seconds.upperBound)))
        }
        // The last words of a predecessor are none.
        #expect(told([run(0, 1), run(0, 2), run(1, 9)], 102...104) == [])
        #expect(told([run(0, 1), run(0, 2), run(1, 9)], 105...107) == [nodes[0]])
        // The earlier one has gone.
        #expect(told([run(0, 2), run(1, 9)], 108...151) == [nodes[0]])
        #expect(told([run(0, 2), run(1, 9)], 152...153) == [])
    }

    @Test mutating func aRunThatGoesOnAfterItsSuccessorHasGoneIsAlone() throws {
        try introduce(run(0, 1), at: 100)
        grant(run(0, 1), until: 300)
        try introduce(run(0, 2), at: 101)
        // The successor was never heard again.
        for second in 150...170 {
            table.heard(
                run(0, 1), reporting: mark, provenIn: nil, now: .seconds(Double(second)))
        }
        #expect(table.duplicateNodes(at: .seconds(170)) == [])
    }

    @Test func withoutKnownGrantsUnheardNodesCountForTheLongestLease() {
        let table = GrantTable(
            nodes: nodes, lease: .seconds(3),
            inherited: .unknown(atMost: InvalidationLimits.leaseMax),
            start: .seconds(100))
        #expect(table.holders(at: .seconds(160.59)).count == 3)
        #expect(table.holders(at: .seconds(160.6)) == [] && table.nextEnd == .seconds(160.6))
        #expect(table.greetingsEnd == .seconds(103.03))
        let known = GrantTable(
            nodes: nodes, lease: .seconds(3), inherited: .known(.seconds(7)), start: .seconds(100))
        #expect(known.nextEnd == .seconds(107.07) && known.greetingsEnd == .seconds(107.07))
    }

    /// Its process may run on, and answer as fresh, whatever the configuration says now.
    @Test mutating func aNodeRemovedAfterStartStaysLeasedUntilItsGrantEnds() throws {
        try introduce(run(0, 1))
        table.register([nodes[0]])
        #expect(!table.isEveryNodeHeard)
        #expect(Set(table.holders(at: .seconds(103))) == [.unheard(nodes[1]), .unheard(nodes[2])])
        #expect(throws: GrantTable.Tie.leased(until: .seconds(103.03), isHeard: false)) {
            try table.drop(nodes[1], now: .seconds(103))
        }
        #expect(
            Set(table.expire(at: .seconds(103.03))) == [
                .unheard(nodes[1]), .unheard(nodes[2]),
            ])
    }

    @Test mutating func aNodeThatOnlyTheEarlierPublisherKnewIsLeasedToo() throws {
        let gone = try #require(NodeID("n9"))
        try introduce(run(0, 1))
        table.inherit(.some, of: gone)
        #expect(
            Set(table.holders(at: .seconds(103)))
                == [.unheard(gone), .unheard(nodes[1]), .unheard(nodes[2])])
        #expect(table.hasGrant(.unheard(gone), at: .seconds(103)))
        #expect(!table.hasGrant(.unheard(gone), at: .seconds(103.03)))
        #expect(!table.isEveryNodeHeard, "n2 and n3 are")
        table.register([nodes[0]])
        #expect(!table.isEveryNodeHeard, "they may hold a lease, whatever is configured by now")
        #expect(table.nextEnd == .seconds(103.03))
    }

    /// Run 5 sleeps with its lease while run 6 of its node introduces itself.
    @Test mutating func aNodeIsLeasedUntilTheRunThatWasGrantedIsHeard() throws {
        table.inherit(.run(Incarnation(5)), of: nodes[0])
        table.inherit(.some, of: nodes[1])
        try introduce(run(0, 6))
        try introduce(run(1, 7), log: Chain.log)
        #expect(table.hasGrant(.unheard(nodes[0]), at: .seconds(103)))
        #expect(table.hasGrant(.unheard(nodes[1]), at: .seconds(103)))
        try introduce(run(0, 5), log: Chain.log)
        #expect(!table.hasGrant(.unheard(nodes[0]), at: .seconds(103)))
        #expect(table.hasGrant(run(0, 5), at: .seconds(103)), "its own, until it is over")
        #expect(table.grantedRuns(at: .seconds(103))[nodes[0]] == [run(0, 5)])
        #expect(table.holders(at: .seconds(103.03)) == [])
        #expect(table.grantedRuns(at: .seconds(103.03)).isEmpty)
    }

    @Test mutating func aRunReportingALogMayHoldAnEarlierLease() throws {
        try introduce(run(0, 1), log: Chain.log)
        try introduce(run(1, 2))
        #expect(table.hasGrant(run(0, 1), at: .seconds(103)))
        #expect(!table.hasGrant(run(0, 1), at: .seconds(103.03)))
        #expect(!table.hasGrant(run(1, 2), at: .seconds(101)))
    }

    @Test mutating func aNewRunNeverOverwritesTheGrantOfTheOldOne() throws {
        try introduce(run(0, 1), at: 200)
        grant(run(0, 1), until: 210)
        try introduce(run(0, 2), at: 201)
        #expect(table.hasGrant(run(0, 1), at: .seconds(205)))
        grant(run(0, 2), until: 220)
        #expect(
            Set(table.holders(at: .seconds(205)).filter { $0.node == nodes[0] })
                == [run(0, 1), run(0, 2)])
        #expect(table.expire(at: .seconds(210)).contains(run(0, 1)))
        // Its grant is over and it is not the newest: nothing is kept of it.
        #expect(table.entry(of: run(0, 1)) == nil)
        #expect(table.newestEntry(of: nodes[0])?.run == run(0, 2))
    }

    @Test mutating func goodbyeGivesTheGrantBackAtOnce() throws {
        try introduce(run(0, 1), at: 200)
        grant(run(0, 1), until: 210)
        table.leave(run(0, 1))
        #expect(!table.hasGrant(run(0, 1), at: .seconds(201)))
        #expect(table.newestEntry(of: nodes[0]) == nil)
    }

    @Test mutating func aRunThatDoesNotKeepUpGetsNoLease() throws {
        try introduce(run(0, 1))
        #expect(grant(run(0, 1), applied: 5, head: 6, until: 110))
        #expect(grant(run(0, 1), applied: 5, head: 9, until: 111))
        // The answer before the last said 6.
        #expect(!grant(run(0, 1), applied: 5, head: 9, until: 112))
        #expect(table.entry(of: run(0, 1))?.grantEnds == .seconds(111))
        #expect(grant(run(0, 1), applied: 9, head: 9, until: 113))
    }

    /// Its requests wait for a slow store, and are answered together.
    @Test mutating func aRunIsNotHeldToHeadsThatItWasToldAfterItAsked() throws {
        try introduce(run(0, 1))
        for (head, second) in [(UInt64(6), 100.0), (7, 100.2), (8, 100.5), (9, 101)] {
            asked = second
            #expect(grant(run(0, 1), applied: 5, head: head, until: 110))
        }
        // Those were answered at 100, 101, 102 and 103.
        for (applied, second, isGranted) in [
            (UInt64(5), 101.5, false), (6, 102.5, false), (8, 103.5, true),
        ] {
            asked = second
            #expect(grant(run(0, 1), applied: applied, head: 9, until: 112) == isGranted)
        }
    }

    @Test mutating func aMarkThatIsNotInTheLogGrantsNoLease() throws {
        try introduce(run(0, 1))
        #expect(!grant(run(0, 1), until: 110, isOfTheLog: false))
        #expect(table.entry(of: run(0, 1))?.applied == nil)
        #expect(table.entry(of: run(0, 1))?.reported.position == .at(5))
    }

    @Test mutating func strangersAndTakenIncarnationsAreRefused() throws {
        let stranger = NodeRun(node: try #require(NodeID("x")), incarnation: Incarnation(1))
        #expect(throws: GrantTable.Refusal.notRegistered) {
            try table.introduce(stranger, reporting: mark, of: .none, now: .seconds(100))
        }
        try introduce(run(0, 1))
        #expect(throws: GrantTable.Refusal.incarnationTaken) {
            try table.introduce(run(1, 1), reporting: mark, of: .none, now: .seconds(100))
        }
    }

    @Test mutating func aNodeHasABoundedNumberOfRuns() throws {
        for incarnation in 1...UInt64(InvalidationLimits.runsPerNodeMax) {
            try introduce(run(0, incarnation), at: 200)
            grant(run(0, incarnation), until: 210)
        }
        #expect(throws: GrantTable.Refusal.tooManyRuns) {
            try table.introduce(run(0, 99), reporting: mark, of: .none, now: .seconds(200))
        }
        _ = table.expire(at: .seconds(210))
        try introduce(run(0, 99), at: 210)
        #expect(table.everyEntry.map(\.run) == [run(0, 99)])
    }

    @Test mutating func runsWithoutAGrantDoNotPileUp() throws {
        for incarnation in 1...100 as ClosedRange<UInt64> {
            try introduce(run(0, incarnation), at: 200)
        }
        #expect(table.everyEntry.map(\.run) == [run(0, 100)])
    }

    @Test mutating func anUnconfiguredNodeKeepsItsGrantUntilItEnds() throws {
        try introduce(run(0, 1))
        grant(run(0, 1), until: 110)
        table.register([nodes[1], nodes[2]])
        #expect(table.run(of: Incarnation(1)) == nil)
        #expect(table.holders(at: .seconds(105)) == [run(0, 1)])
        #expect(table.expire(at: .seconds(110)).contains(run(0, 1)))
        #expect(table.entry(of: run(0, 1)) == nil)
    }

    @Test func ofLeasesThatGetShorterEachCountsUntilItsOwnEnd() {
        var table = GrantTable(nodes: [], lease: .seconds(1), start: .seconds(0))
        table.note(lease: .seconds(10), until: .seconds(10), now: .seconds(0))
        table.note(lease: .seconds(5), until: .seconds(14), now: .seconds(9))
        table.note(lease: .seconds(1), until: .seconds(10.5), now: .seconds(9.5))
        #expect(table.longestLease(at: .seconds(9.9)) == .seconds(10))
        #expect(table.longestLease(at: .seconds(13)) == .seconds(5))
        #expect(table.longestLease(at: .seconds(14)) == nil)
        table.note(lease: .seconds(10), until: .seconds(30), now: .seconds(20))
        table.note(lease: .seconds(10), until: .seconds(31), now: .seconds(21))
        #expect(table.longestLease(at: .seconds(30.5)) == .seconds(10))
    }
}
