import CacheInvalidation
import CacheModel
import Testing

@testable import PublisherCore

/// Which nodes lose their slots, and when they get some again: docs/decisions/0120.
@Suite struct FailoverPolicyTests {
    /// Nodes of equal weight that share all slots, and their leases.
    private struct Stage {
        var plan: PublisherPlan
        var grants: GrantTable
        var policy = FailoverPolicy()
        var table: SlotTable
        var now = Instant(nanoseconds: 1_000_000_000)
        private let nodes: [NodeID]
        private var mark = LogMark.at(1)
        private var start: Instant
        private var wanted: [SlotMember] = []

        /// - Parameter owners: how many of the nodes have slots and rows in the table.
        init(nodes count: Int, owners: Int? = nil, inherited: Duration = .zero) throws {
            start = now
            nodes = try (1...count).map { try #require(NodeID("n\($0)")) }
            plan = PublisherPlan(nodes: nodes.map { .init(id: $0, shards: 1) })
            grants = GrantTable(
                nodes: nodes, lease: .seconds(3), inherited: .known(inherited), start: now)
            table = SlotTable(beginningOf: Epoch(1))
            for (number, node) in nodes.enumerated() {
                try grants.introduce(
                    NodeRun(node: node, incarnation: Incarnation(UInt64(number + 1))),
                    reporting: mark, of: LogID(1), now: now)
            }
            try change(to: nodes.prefix(owners ?? count).map { member($0, .member) })
        }

        private func member(_ node: NodeID, _ state: SlotMember.State) -> SlotMember {
            SlotMember(node: node, state: state, shardCount: 1, weightThousandths: 1_000)
        }

        /// What was wanted is in the log.
        mutating func change(to members: [SlotMember]) throws {
            guard members != wanted else { return }
            wanted = members
            while let change = SlotPlan(from: table, to: members).change {
                let isApplied = table.apply(change, at: table.position.next)
                #expect(isApplied)
            }
        }

        /// Nodes are heard once a second and get leases.
        ///
        /// - Parameter expected: the nodes that have slots then.
        mutating func pass(
            _ seconds: Int, live numbers: [Int], state: NodeState = .live,
            sharing expected: [Int]? = nil, _ location: SourceLocation = #_sourceLocation
        ) throws {
            for _ in 0..<seconds {
                now = now.advanced(by: .seconds(1))
                _ = grants.expire(at: now)
                for number in numbers {
                    let run = NodeRun(
                        node: nodes[number - 1], incarnation: Incarnation(UInt64(number)))
                    grants.heard(run, reporting: mark, provenIn: LogID(1), state: state, now: now)
                    let answer = LeaseAnswer(
                        head: mark.position, askedAt: now, answeredAt: now,
                        grantEnds: now.advanced(by: .milliseconds(3_030)))
                    let isGranted = grants.grant(run, isOfTheLog: true, by: answer)
                    #expect(isGranted)
                }
                if let wanted = policy.look(plan, table, grants, since: start, now: now) {
                    try change(to: wanted)
                }
            }
            let found = sharing
            #expect(found == expected ?? found, sourceLocation: location)
        }

        mutating func giveUp(_ number: Int) {
            _ = policy.giveUp(nodes[number - 1], grants, now: now)
        }

        /// Another publisher continues with table and leases.
        mutating func restartPublisher() { (policy, start) = (FailoverPolicy(), now) }

        /// The numbers of the nodes that have slots.
        var sharing: [Int] {
            let owners = Set(
                table.owners.compactMap { $0.flatMap { table.members[$0.member]?.node } })
            return nodes.indices.filter { owners.contains(nodes[$0]) }.map { $0 + 1 }
        }

        var away: [Int] {
            let away = policy.away
            return nodes.indices.filter { away.contains(nodes[$0]) }.map { $0 + 1 }
        }
    }

    @Test func aNodeWithoutALeaseLosesItsSlotsAfterFailoverAfter() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(30, live: [1, 2, 3], sharing: [1, 2, 3])
        try stage.pass(9, live: [1, 2], sharing: [1, 2, 3])
        try stage.pass(1, live: [1, 2], sharing: [1, 2])  // ten seconds after its last lease
        #expect(stage.away == [3])
    }

    /// A person knows what a publisher that hears half of the nodes does not.
    @Test func aNodeThatIsGivenUpLosesItsSlotsWithoutAMajority() throws {
        var stage = try Stage(nodes: 2)
        try stage.pass(30, live: [1, 2], sharing: [1, 2])
        try stage.pass(30, live: [1], sharing: [1, 2])
        stage.giveUp(2)
        try stage.pass(1, live: [1], sharing: [1])
        try stage.pass(9, live: [1, 2], sharing: [1])
        try stage.pass(2, live: [1, 2], sharing: [1, 2])
    }

    @Test func aNodeWithALeaseIsNotGivenUpNorTheLastOne() throws {
        var stage = try Stage(nodes: 2)
        try stage.pass(30, live: [1, 2], sharing: [1, 2])
        stage.giveUp(2)
        try stage.pass(1, live: [1, 2], sharing: [1, 2])
        try stage.pass(30, live: [], sharing: [1, 2])
        stage.giveUp(2)
        try stage.pass(1, live: [], sharing: [1, 2])
        #expect(stage.away.isEmpty)
    }

    @Test func aNodeThatIsHeardAndGetsNoLeaseLosesThemToo() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        for _ in 0..<11 {
            let run = NodeRun(node: try #require(NodeID("n3")), incarnation: Incarnation(3))
            stage.grants.heard(
                run, reporting: .at(1), provenIn: nil, state: .suspect, now: stage.now)
            try stage.pass(1, live: [1, 2])
        }
        #expect(stage.sharing == [1, 2])
    }

    @Test func aNodeComesBackOnceItWasLiveForTheHoldDown() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        try stage.pass(12, live: [1, 2])
        try stage.pass(10, live: [1, 2, 3], sharing: [1, 2])
        try stage.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
        #expect(stage.away.isEmpty)
    }

    @Test func aNodeThatFlapsStaysAwayForTwiceAsLongEachTime() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        for hold in [10, 20, 40, 80, 160, 320, 600, 600] {
            try stage.pass(12, live: [1, 2])
            #expect(stage.sharing == [1, 2])
            try stage.pass(hold, live: [1, 2, 3], sharing: [1, 2])
            try stage.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
        }
        // After an hour it is forgotten.
        try stage.pass(3_600, live: [1, 2, 3])
        try stage.pass(12, live: [1, 2])
        try stage.pass(11, live: [1, 2, 3], sharing: [1, 2, 3])
    }

    @Test func aLeaseThatEndsMeanwhileBeginsTheHoldDownAnew() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        try stage.pass(12, live: [1, 2])
        try stage.pass(6, live: [1, 2, 3])
        try stage.pass(6, live: [1, 2])
        try stage.pass(10, live: [1, 2, 3], sharing: [1, 2])
        try stage.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
    }

    /// A publisher that half of the nodes do not hear may be what is cut off.
    @Test func noSlotFailsOverUnlessMoreThanHalfAreThere() throws {
        var two = try Stage(nodes: 2)
        try two.pass(20, live: [1, 2])
        try two.pass(100, live: [1], sharing: [1, 2])
        var four = try Stage(nodes: 4)
        try four.pass(20, live: [1, 2, 3, 4])
        try four.pass(100, live: [1, 2], sharing: [1, 2, 3, 4])
        try four.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
        var five = try Stage(nodes: 5)
        try five.pass(20, live: [1, 2, 3, 4, 5])
        try five.pass(12, live: [1, 2, 3], sharing: [1, 2, 3])
    }

    /// Otherwise all slots would go to the last node that is heard, one after the other.
    @Test func aNodeThatLostItsSlotsLatelyCountsForTheMajority() throws {
        var stage = try Stage(nodes: 5)
        try stage.pass(20, live: [1, 2, 3, 4, 5])
        try stage.pass(12, live: [1, 2, 3, 4])
        try stage.pass(12, live: [1, 2, 3])
        #expect(stage.sharing == [1, 2, 3])
        try stage.pass(60, live: [1, 2], sharing: [1, 2, 3])
        // Ten minutes later the two that went first do not count any more.
        try stage.pass(600, live: [1, 2], sharing: [1, 2])
    }

    /// Two of three nodes are a majority, however much the third one has; that one alone is none.
    @Test(arguments: [([1, 2], [1, 2]), ([3], [1, 2, 3])])
    func aMajorityIsCountedByNodesAndNotByWeight(live: [Int], sharing: [Int]) throws {
        var stage = try Stage(nodes: 3)
        stage.plan.nodes[2].weightThousandths = 9_000
        stage.plan.nodes[2].slotWeightThousandths = 9_000
        try stage.pass(20, live: [1, 2, 3])
        try stage.pass(60, live: live, sharing: sharing)
    }

    @Test func aPublisherThatHasJustStartedWaitsForTheLeasesOfTheOneBefore() throws {
        var stage = try Stage(nodes: 3, inherited: .seconds(20))
        try stage.pass(29, live: [1, 2], sharing: [1, 2, 3])
        try stage.pass(3, live: [1, 2], sharing: [1, 2])
    }

    @Test func aNodeThatDrainsGivesItsSlotsAwayAtOnce() throws {
        var stage = try Stage(nodes: 2)
        try stage.pass(20, live: [1, 2])
        try stage.pass(1, live: [2], state: .draining)
        #expect(stage.sharing == [1])
        // It was no failover: a new run need not wait.
        try stage.pass(2, live: [1, 2], sharing: [1, 2])
    }

    /// How often it failed over before does not count then.
    @Test func aNodeThatFailedOverAndDrainsComesBackAtOnce() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        try stage.pass(12, live: [1, 2])
        try stage.pass(12, live: [1, 2, 3], sharing: [1, 2, 3])
        try stage.pass(1, live: [3], state: .draining)
        #expect(stage.sharing == [1, 2])
        try stage.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
    }

    /// Until then no key is answered.
    @Test func theFirstOwnersDoNotWaitForAsLongAsAFailoverMay() throws {
        var stage = try Stage(nodes: 3, owners: 0)
        stage.plan.failoverAfter = .seconds(3_600)
        try stage.pass(9, live: [1, 2], sharing: [])
        try stage.pass(1, live: [1, 2], sharing: [1, 2])
    }

    /// It has a lease, and only learns of a record a little later than others.
    @Test func aNodeThatCatchesUpIsThere() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        try stage.pass(12, live: [1, 2])
        try stage.pass(11, live: [1, 2, 3], state: .catchingUp, sharing: [1, 2, 3])
    }

    /// Else nodes that are dead for weeks would block a failover after each start.
    @Test func aNodeThatWasAwayBeforeAStartOfThePublisherDoesNotCountForTheMajority() throws {
        var stage = try Stage(nodes: 5)
        try stage.pass(20, live: [1, 2, 3, 4, 5])
        try stage.pass(12, live: [1, 2, 3], sharing: [1, 2, 3])
        stage.restartPublisher()
        try stage.pass(20, live: [1, 2], sharing: [1, 2])
    }

    @Test func theLastNodeKeepsItsSlotsWhileItDrains() throws {
        var stage = try Stage(nodes: 2)
        try stage.pass(20, live: [1, 2])
        try stage.pass(3, live: [1, 2], state: .draining)
        #expect(stage.sharing == [1, 2])
    }

    @Test func theFirstOwnersAreAllNodesThatAreThereSoon() throws {
        var all = try Stage(nodes: 3, owners: 0)
        try all.pass(1, live: [1, 2], sharing: [])
        try all.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])  // as soon as all are there
        var some = try Stage(nodes: 3, owners: 0)
        try some.pass(9, live: [1, 2], sharing: [])
        try some.pass(1, live: [1, 2], sharing: [1, 2])
        // A node that comes later gets its share.
        try some.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
        var none = try Stage(nodes: 3, owners: 0)
        try none.pass(60, live: [], sharing: [])
    }

    @Test func aNodeThatIsNewInTheConfigurationGetsSlotsOnceItIsLive() throws {
        var stage = try Stage(nodes: 3, owners: 2)
        try stage.pass(30, live: [1, 2], sharing: [1, 2])
        #expect(stage.table.members.count == 2 && stage.away.isEmpty)
        try stage.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
    }

    @Test func aNodeThatLeavesTheConfigurationLosesSlotsAndRow() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        stage.plan.nodes.removeLast()
        stage.policy.lookNow()
        try stage.pass(1, live: [1, 2, 3], sharing: [1, 2])
        #expect(stage.table.members.count == 2)
    }

    /// Of one that it finds away it does not know for how long: it waits as after one failover.
    @Test func theNextPublisherHoldsNodesDownThatItFindsAway() throws {
        var stage = try Stage(nodes: 3)
        try stage.pass(20, live: [1, 2, 3])
        try stage.pass(12, live: [1, 2])
        stage.restartPublisher()
        try stage.pass(10, live: [1, 2, 3], sharing: [1, 2])
        #expect(stage.away == [3])
        try stage.pass(1, live: [1, 2, 3], sharing: [1, 2, 3])
    }
}
