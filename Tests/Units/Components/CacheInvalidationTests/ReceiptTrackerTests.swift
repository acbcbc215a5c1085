import CacheInvalidation
import CacheModel
import Testing

@Suite struct ReceiptTrackerTests {
    private let nodes: [NodeID]
    private let runs: [NodeRun]
    private var grants: GrantTable
    private var tracker = ReceiptTracker()

    /// Three nodes at 1:5, each with a grant until 110.
    init() throws {
        let ids = try ["n1", "n2", "n3"].map { try #require(NodeID($0)) }
        nodes = ids
        runs = ids.enumerated().map {
            NodeRun(node: $1, incarnation: Incarnation(UInt64($0 + 1)))
        }
        grants = GrantTable(nodes: ids, lease: .seconds(3), start: .seconds(0))
        let mark = LogMark(position: .at(5), digest: LogDigest(5))
        for run in runs {
            try grants.introduce(run, reporting: mark, of: .none, now: .seconds(100))
            grants.heard(run, reporting: mark, provenIn: Chain.log, now: .seconds(100))
            _ = grants.grant(run, isOfTheLog: true, by: Self.answer(until: 110))
        }
        _ = grants.expire(at: .seconds(100))
    }

    private static func answer(until end: Double) -> LeaseAnswer {
        LeaseAnswer(
            head: .at(5), askedAt: .seconds(100), answeredAt: .seconds(100),
            grantEnds: .seconds(end))
    }

    private mutating func begin(
        _ goal: ReceiptTracker.Goal, position: UInt64 = 6, deadline: Double = 105,
        token: UInt64 = 1
    ) {
        let order = ReceiptTracker.Order(
            token: .init(token), position: .at(position), goal: goal,
            deadline: .seconds(deadline))
        tracker.begin([order], grants: grants, now: .seconds(100))
    }

    private mutating func finished(at second: Double) -> [ReceiptOutcome] {
        tracker.takeFinished(at: .seconds(second))
    }

    @Test mutating func allWaitsForEveryHolder() throws {
        begin(.everyHolder)
        tracker.applied(runs[0], upTo: .at(6), now: .seconds(100.5))
        tracker.applied(runs[1], upTo: .at(7), now: .seconds(101))
        #expect(finished(at: 101) == [])
        // One position too early is not enough.
        tracker.applied(runs[2], upTo: .at(5), now: .seconds(101))
        #expect(finished(at: 101) == [])
        tracker.applied(runs[2], upTo: .at(6), now: .seconds(102))
        let outcome = try #require(finished(at: 102).first)
        #expect(outcome.isComplete)
        #expect(
            outcome.applied == [
                .init(node: nodes[0], elapsed: .milliseconds(500)),
                .init(node: nodes[1], elapsed: .seconds(1)),
                .init(node: nodes[2], elapsed: .seconds(2)),
            ])
        #expect(outcome.expired == [] && outcome.pending == [])
        #expect(tracker.count == 0)
    }

    @Test mutating func aLaterEpochCountsAsApplied() {
        begin(.everyHolder)
        for run in runs { tracker.applied(run, upTo: .at(0, epoch: 2), now: .seconds(101)) }
        #expect(finished(at: 101).first?.applied.count == 3)
    }

    @Test mutating func aGrantThatRunsOutLeavesTheWait() {
        begin(.everyHolder, deadline: 120)
        tracker.applied(runs[0], upTo: .at(6), now: .seconds(100))
        tracker.applied(runs[1], upTo: .at(6), now: .seconds(100))
        #expect(finished(at: 109) == [])
        tracker.ended(runs[2], now: .seconds(110))
        let outcome = finished(at: 110).first
        #expect(outcome?.isComplete == true)
        #expect(outcome?.expired == [.init(node: nodes[2], elapsed: .seconds(10))])
    }

    @Test mutating func atTheDeadlineItSaysWhatItKnowsAndNoMore() {
        begin(.everyHolder)
        tracker.applied(runs[0], upTo: .at(6), now: .seconds(101))
        #expect(tracker.nextDeadline == .seconds(105))
        #expect(finished(at: 104.9) == [])
        let outcome = finished(at: 105).first
        #expect(outcome?.isComplete == false)
        #expect(outcome?.applied.map(\.node) == [nodes[0]])
        #expect(outcome?.pending == [nodes[1], nodes[2]])
        #expect(outcome?.expired == [])
    }

    @Test mutating func aQuorumIsAMajorityThatHasApplied() {
        begin(.nodes(2))
        tracker.applied(runs[0], upTo: .at(6), now: .seconds(101))
        // A node that can serve nothing has not applied.
        tracker.ended(runs[1], now: .seconds(101))
        #expect(finished(at: 101) == [])
        tracker.applied(runs[2], upTo: .at(6), now: .seconds(102))
        let outcome = finished(at: 102).first
        #expect(outcome?.isComplete == true)
        #expect(outcome?.applied.count == 2)
    }

    @Test mutating func nothingToWaitForIsOverAtOnce() {
        begin(.nothing)
        let outcome = finished(at: 100).first
        #expect(outcome?.isComplete == true)
        #expect(outcome?.pending == nodes)
    }

    @Test mutating func bothRunsOfANodeAreOwedAndItIsListedOnce() throws {
        let second = NodeRun(node: nodes[0], incarnation: Incarnation(9))
        let mark = LogMark(position: .at(5), digest: LogDigest(5))
        try grants.introduce(second, reporting: mark, of: .none, now: .seconds(100))
        grants.heard(second, reporting: mark, provenIn: Chain.log, now: .seconds(100))
        _ = grants.grant(second, isOfTheLog: true, by: Self.answer(until: 111))
        begin(.everyHolder)
        for run in [second, runs[1], runs[2]] {
            tracker.applied(run, upTo: .at(6), now: .seconds(101))
        }
        #expect(finished(at: 101) == [])
        // The old run is gone; its new one has obeyed, so the node has.
        tracker.ended(runs[0], now: .seconds(104))
        let outcome = finished(at: 104).first
        #expect(outcome?.applied.map(\.node) == nodes)
        #expect(outcome?.expired == [])
    }

    @Test mutating func aRepetitionWaitsAnewForWhatIsStillOwed() {
        for run in runs.prefix(2) {
            let mark = LogMark(position: .at(6), digest: LogDigest(6))
            grants.heard(run, reporting: mark, provenIn: Chain.log, now: .seconds(100))
        }
        begin(.everyHolder)
        #expect(finished(at: 100) == [])
        tracker.applied(runs[2], upTo: .at(6), now: .seconds(101))
        #expect(finished(at: 101).first?.applied.count == 3)
    }

    @Test mutating func aNodeWithoutAGrantOwesNothingAndIsListedAsExpired() {
        _ = grants.expire(at: .seconds(110))
        begin(.everyHolder, deadline: 120)
        let outcome = finished(at: 110).first
        #expect(outcome?.isComplete == true)
        #expect(outcome?.expired.map(\.node) == nodes)
    }

    @Test mutating func anUnheardNodeStaysPendingUntilItIsHeardOrExpires() throws {
        grants = GrantTable(nodes: nodes, lease: .seconds(3), start: .seconds(100))
        begin(.everyHolder)
        #expect(finished(at: 100) == [])
        tracker.heard(runs[0], holdsGrant: true, now: .seconds(101))
        tracker.heard(runs[1], holdsGrant: false, now: .seconds(101))
        tracker.ended(.unheard(nodes[2]), now: .seconds(103))
        #expect(finished(at: 103) == [])
        tracker.applied(runs[0], upTo: .at(6), now: .seconds(104))
        let outcome = try #require(finished(at: 104).first)
        #expect(outcome.applied.map(\.node) == [nodes[0]])
        #expect(outcome.expired.map(\.node) == [nodes[1], nodes[2]])
    }

    /// Every order in which three nodes apply, expire or stay silent ends in what is true.
    @Test(arguments: 0..<27)
    mutating func everyFateOfThreeNodesIsListedTruly(fates: Int) {
        begin(.everyHolder)
        let fate = [fates % 3, fates / 3 % 3, fates / 9]
        for (index, run) in runs.enumerated() {
            if fate[index] == 0 { tracker.applied(run, upTo: .at(6), now: .seconds(101)) }
            if fate[index] == 1 { tracker.ended(run, now: .seconds(101)) }
        }
        let early = finished(at: 101)
        #expect(early.isEmpty == fate.contains(2))
        let outcome = early.first ?? finished(at: 105).first
        func whose(_ kind: Int) -> [NodeID] {
            nodes.indices.filter { fate[$0] == kind }.map { nodes[$0] }
        }
        #expect(outcome?.applied.map(\.node) == whose(0))
        #expect(outcome?.expired.map(\.node) == whose(1))
        #expect(outcome?.pending == whose(2))
        #expect(outcome?.isComplete == !fate.contains(2))
    }
}
