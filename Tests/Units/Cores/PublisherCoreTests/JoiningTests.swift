import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Nodes that no configuration lists: docs/decisions/0121.
@Suite struct JoiningTests {
    /// A publisher that lists node n1, with slots that are served.
    private func open(isOpen: Bool = true) throws -> Cluster {
        var cluster = try Cluster.live(nodes: 1, outlivesItsProcess: true) {
            $0.beginsSlots = true
            $0.isOpen = isOpen
        }
        settle(&cluster, 1...1)
        #expect(share(cluster) == ["n1": 16_384])
        cluster.forget()
        return cluster
    }

    /// Nodes obey, until all slots are served.
    private func settle(_ cluster: inout Cluster, _ nodes: ClosedRange<UInt8>) {
        for _ in 0..<6 {
            for node in nodes { cluster.ack(node, at: cluster.core.log.head) }
            cluster.tick(at: cluster.second + 0.1)
        }
        let table = cluster.core.slots.table
        #expect(table?.unserved == nil)
    }

    /// Node `number` asks to join, and is answered at once.
    private func join(
        _ cluster: inout Cluster, _ number: UInt8, incarnation: UInt64? = nil,
        _ change: (inout Hello) -> Void = { _ in }
    ) throws -> ErrorReply? {
        cluster.forget()
        var hello = Hello(
            incarnation: Incarnation(incarnation ?? UInt64(number)), log: .none, applied: .none,
            node: try #require(NodeID("n\(number)")), endpoints: Self.endpoints(1))
        (hello.knowsSlots, hello.joinWeight) = (true, JoinWeight(thousandths: 1_000))
        change(&hello)
        cluster.send(from: number) { hello.encode(requestID: 1, into: &$0) }
        let frames = cluster.hear(number).filter { $0[3] == MessageType.error.rawValue }
        return try frames.first.map { try Cluster.decode($0) { try ErrorReply(decoding: $0) } }
    }

    private static func endpoints(_ count: Int) -> [String] {
        (0..<count).map { "tcp://127.0.0.1:\(7_500 + $0)" }
    }

    private func share(_ cluster: borrowing Cluster) -> [String: Int] {
        guard let table = cluster.core.slots.table else { return [:] }
        let counts = Dictionary(grouping: table.owners.compactMap(\.self), by: \.member)
        return Dictionary(
            uniqueKeysWithValues: table.members.map { number, member in
                (member.node.name, counts[number]?.count ?? 0)
            })
    }

    private func members(_ cluster: borrowing Cluster) -> [String] {
        cluster.core.plan.nodes.map(\.id.name)
    }

    /// A node that joined, has a lease and its share.
    private func joined() throws -> Cluster {
        var cluster = try open()
        #expect(try join(&cluster, 2) == nil)
        #expect(try cluster.ping(2, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": 8_192, "n2": 8_192])
        return cluster
    }

    // MARK: Joining

    @Test func aNodeThatJoinsGetsItsShareByItsWeight() throws {
        var cluster = try joined()
        #expect(try join(&cluster, 3) { $0.joinWeight = JoinWeight(thousandths: 2_000) } == nil)
        #expect(try cluster.ping(3, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        settle(&cluster, 1...3)
        #expect(share(cluster) == ["n1": 4_096, "n2": 4_096, "n3": 8_192])
        let joined = cluster.core.joined
        #expect(joined.map(\.name).sorted() == ["n2", "n3"])
    }

    /// Of the listed one the configuration states 1, or what its memory makes.
    @Test(arguments: [(true, [8_192, 8_192]), (false, [5_462, 10_922])])
    func aNodeThatStatesNoWeightJoinsByItsMemoryUnlessOthersStateTheirs(
        areStated: Bool, shares: [Int]
    ) throws {
        var cluster = try open()
        cluster.core.plan.areWeightsStated = areStated
        #expect(try join(&cluster, 2) { $0.joinWeight = JoinWeight(memory: 2 << 30) } == nil)
        #expect(try cluster.ping(2, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": shares[0], "n2": shares[1]])
    }

    @Test func withoutOpenMembershipANodeIsRefusedAndToldHow() throws {
        var cluster = try open(isOpen: false)
        let refusal = try #require(try join(&cluster, 2))
        #expect(refusal.knownCode == .notRegistered)
        #expect(refusal.message.contains("membership: open"), "\(refusal.message)")
    }

    @Test func aNodeThatDoesNotSayThatItJoinsIsRefused() throws {
        var cluster = try open()
        #expect(try join(&cluster, 2) { $0.joinWeight = .none }?.knownCode == .notRegistered)
        #expect(members(cluster) == ["n1"])
    }

    /// There is no table yet that would remember it.
    @Test func beforeSlotsAreInForceANodeAsksAgain() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true) {
            $0.beginsSlots = true
            $0.isOpen = true
        }
        #expect(try join(&cluster, 2)?.knownCode == .busy)
        #expect(members(cluster) == ["n1"])
    }

    /// The line of the file counts.
    @Test func aListedNodeIsNotChangedByItsHello() throws {
        var cluster = try open()
        cluster.send(from: 1) { Bye(incarnation: Incarnation(1)).encode(requestID: 0, into: &$0) }
        let heavy = try join(&cluster, 1, incarnation: 11) {
            $0.joinWeight = JoinWeight(thousandths: 5_000)
        }
        #expect(heavy == nil)
        let refusal = try join(&cluster, 1, incarnation: 12) { $0.endpoints = Self.endpoints(2) }
        #expect(refusal?.knownCode == .outOfRange)
        let (nodes, joined) = (cluster.core.plan.nodes, cluster.core.joined)
        #expect(nodes.map(\.weightThousandths) == [1_000] && joined.isEmpty)
    }

    @Test func aJoinedNodeThatComesBackWithMoreShardsGetsThem() throws {
        var cluster = try joined()
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        let refusal = try join(&cluster, 2, incarnation: 22) {
            ($0.endpoints, $0.joinWeight) = (Self.endpoints(2), JoinWeight(thousandths: 3_000))
        }
        #expect(refusal == nil)
        let pong = try cluster.ping(2, incarnation: 22, at: cluster.core.log.head)
        #expect(pong.leaseMilliseconds == 3_000)
        for _ in 0..<6 {
            cluster.ack(1, at: cluster.core.log.head)
            cluster.ack(2, incarnation: 22, at: cluster.core.log.head)
            cluster.tick(at: cluster.second + 0.1)
        }
        #expect(share(cluster) == ["n1": 4_096, "n2": 12_288])
    }

    @Test func aClusterHasNoMoreShardsThanATableCanName() throws {
        var cluster = try open()
        for number: UInt8 in 2...16 {
            #expect(try join(&cluster, number) { $0.endpoints = Self.endpoints(64) } == nil)
        }
        let refusal = try #require(
            try join(&cluster, 17) { $0.endpoints = Self.endpoints(64) })
        #expect(refusal.knownCode == .busy && refusal.message.contains("1024 shards"))
        #expect(try join(&cluster, 18) { $0.endpoints = Self.endpoints(63) } == nil)
        #expect(members(cluster).count == 17)
    }

    /// With an empty list the first node gets everything.
    @Test func aClusterCanBeginWithoutANode() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true) {
            $0.nodes = []
            $0.beginsSlots = true
            $0.isOpen = true
        }
        for second in [0.0, 0.1, 0.2] { cluster.tick(at: second) }
        #expect(try join(&cluster, 1) == nil)
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        settle(&cluster, 1...1)
        #expect(share(cluster) == ["n1": 16_384])
    }

    // MARK: Leaving

    @Test func aDrainedNodeThatSaidGoodbyeIsNoMemberAnyMore() throws {
        var cluster = try joined()
        _ = try cluster.ping(2, at: cluster.core.log.head, state: .draining)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": 16_384, "n2": 0])
        #expect(members(cluster) == ["n1", "n2"])
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        for _ in 0..<3 { settle(&cluster, 1...1) }
        #expect(members(cluster) == ["n1"])
        #expect(share(cluster) == ["n1": 16_384])
    }

    /// It is restarted: its slots wait for it.
    @Test func aNodeThatSaidGoodbyeStaysAMemberWhileItHasSlots() throws {
        var cluster = try joined()
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        for _ in 0..<3 { settle(&cluster, 1...1) }
        #expect(members(cluster) == ["n1", "n2"])
        #expect(try join(&cluster, 2, incarnation: 22) == nil)
        #expect(share(cluster) == ["n1": 8_192, "n2": 8_192])
    }

    @Test func aForgottenNodeIsNoMemberAnyMoreOnceOthersHaveItsSlots() throws {
        var cluster = try joined()
        cluster.second += 3.1
        _ = try cluster.ping(1, at: cluster.core.log.head)
        cluster.tick()
        let node = try #require(NodeID("n2"))
        cluster.send(from: 90) { NodeOrder(.forget, node).encode(requestID: 9, into: &$0) }
        for _ in 0..<2 { settle(&cluster, 1...1) }
        #expect(share(cluster) == ["n1": 16_384])
        #expect(members(cluster) == ["n1"])
    }

    @Test func aListThatIsReadAgainKeepsJoinedNodesUntilMembershipIsListed() throws {
        var cluster = try joined()
        var plan = cluster.core.plan
        (plan.joined, plan.nodes) = ([], Array(plan.nodes.prefix(1)))
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        #expect(members(cluster) == ["n1", "n2"])
        plan.isOpen = false
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        #expect(members(cluster) == ["n1"])
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": 16_384])
    }

    /// A node that joined by its memory has weight 1 then, as a listed one without a weight.
    @Test func aFileThatStatesItsFirstWeightCountsForJoinedNodesToo() throws {
        var cluster = try open()
        #expect(try join(&cluster, 2) { $0.joinWeight = JoinWeight(memory: 3 << 30) } == nil)
        #expect(try cluster.ping(2, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": 4_096, "n2": 12_288])
        var plan = cluster.core.plan
        (plan.joined, plan.joinWeights) = ([], [:])
        (plan.nodes, plan.areWeightsStated) = (Array(plan.nodes.prefix(1)), true)
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": 8_192, "n2": 8_192])
    }

    /// It says no weight: that of its line stays, by the scale of the new file.
    @Test(arguments: [(false, [4_096, 12_288]), (true, [8_192, 8_192])])
    func aListedNodeThatIsTakenOutOfTheFileKeepsASensibleWeight(
        areStated: Bool, shares: [Int]
    ) throws {
        var cluster = try open()
        var plan = cluster.core.plan
        let second = PublisherPlan.Node(
            id: try #require(NodeID("n2")), shards: 1, slotWeightThousandths: 3_000)
        plan.nodes.append(second)
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        #expect(try join(&cluster, 2) { $0.joinWeight = .none } == nil)
        #expect(try cluster.ping(2, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": 4_096, "n2": 12_288])
        plan.nodes.removeLast()
        plan.areWeightsStated = areStated
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        // It greets again, and the file is read once more.
        #expect(try join(&cluster, 2) { $0.joinWeight = .none } == nil)
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        settle(&cluster, 1...2)
        #expect(share(cluster) == ["n1": shares[0], "n2": shares[1]])
    }

    // MARK: Another publisher

    /// A publisher of the same log that finds this table of slots, and this book of runs. It lists
    /// no node.
    private func successor(
        of cluster: borrowing Cluster, slots: [UInt8]?, book: [UInt8]?,
        change: (inout PublisherPlan) -> Void = { _ in }
    ) -> Cluster {
        var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
        kept.continueHistory(of: cluster.core.log.id, from: cluster.core.log.head)
        var next = Cluster(
            nodes: 1, log: kept, outlivesItsProcess: true, inheritedLease: .seconds(3)
        ) {
            $0.nodes = []
            $0.beginsSlots = true
            $0.isOpen = true
            change(&$0)
        }
        _ = next.core.resumeLives(book)
        next.slotsLoss = next.core.resumeSlots(slots)
        next.tick()
        return next
    }

    @Test func theNextPublisherKnowsJoinedNodesByTheTableOfSlots() throws {
        let cluster = try joined()
        let next = successor(
            of: cluster, slots: cluster.core.slotsToKeep ?? cluster.keptSlots.last,
            book: cluster.keptLives.last)
        #expect(next.slotsLoss == nil)
        #expect(members(next) == ["n1", "n2"])
        #expect(share(next) == ["n1": 8_192, "n2": 8_192])
    }

    /// Whether a receipt of *all* waits for a lease of before, 3 s from its start.
    private func expectWait(_ next: inout Cluster) throws {
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 1)
        next.tick(at: 3.029)
        #expect(!next.order.contains(.receipt), "a joined node may call the old value fresh")
        next.tick(at: 3.04)
        #expect(try next.receipt().isComplete)
    }

    /// Nothing names a node that joined an earlier publisher: table and book are lost.
    @Test func receiptsWaitForANodeThatNothingNames() throws {
        let cluster = try joined()
        var next = successor(of: cluster, slots: nil, book: nil)
        #expect(members(next).isEmpty)
        try expectWait(&next)
    }

    /// Its nodes must leave, but their leases go on.
    @Test func whereNodesMayNotJoinAnyMoreThoseOfTheTableAreWaitedFor() throws {
        let cluster = try joined()
        let slots = cluster.core.slotsToKeep ?? cluster.keptSlots.last
        var next = successor(of: cluster, slots: slots, book: nil) { $0.isOpen = false }
        #expect(next.slotsLoss == nil && members(next).isEmpty)
        try expectWait(&next)
    }

    /// The node of which nothing is known may be another run of any node.
    @Test func noNodeGetsALeaseBesideOneThatNothingNames() throws {
        let cluster = try joined()
        let slots = cluster.core.slotsToKeep ?? cluster.keptSlots.last
        var next = successor(of: cluster, slots: slots, book: nil)
        #expect(try join(&next, 2, incarnation: 22) == nil)
        #expect(try next.ping(2, incarnation: 22, at: next.core.log.head).leaseMilliseconds == 0)
        next.tick(at: 3.1)
        let pong = try next.ping(2, incarnation: 22, at: next.core.log.head)
        #expect(pong.leaseMilliseconds == 3_000)
    }

    /// Everything is lost but what the nodes know: one that may not join yet has a lease.
    @Test func aNodeThatAsksToJoinALostLogIsWaitedFor() throws {
        var next = Cluster(nodes: 1, outlivesItsProcess: true, inheritedLease: .seconds(3)) {
            $0.beginsSlots = true
            $0.isOpen = true
        }
        let mark = LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9)),
            digest: LogDigest(7))
        let refusal = try join(&next, 2) { ($0.log, $0.applied) = (Cluster.freshID, mark) }
        #expect(refusal?.knownCode == .busy)
        try next.hello(1)
        next.tick(at: 0.1)
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.2)
        next.ack(1, at: next.core.log.head)
        next.tick(at: 3.029)
        #expect(!next.order.contains(.receipt), "n2 may call the old value fresh")
        next.tick(at: 3.04)
        #expect(try next.receipt().isComplete)
    }

    @Test func aStrangeNameOrWeightIsRefused() throws {
        var cluster = try open()
        let heavy = try join(&cluster, 2) { $0.joinWeight = JoinWeight(rawValue: .max) }
        #expect(heavy?.knownCode == .outOfRange)
        let light = try join(&cluster, 2) { $0.joinWeight = JoinWeight(rawValue: 1 << 31) }
        #expect(light?.knownCode == .outOfRange)
        let strange = try join(&cluster, 2) { $0.node = .unnamed }
        #expect(strange?.knownCode == .outOfRange)
        #expect(members(cluster) == ["n1"])
    }

    /// A process that ends in order is no sign of a network that is cut.
    @Test func joinedNodesThatSaidGoodbyeDoNotKeepOthersFromTheirSlots() throws {
        var cluster = try joined()
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        try goOn(&cluster, for: 14)
        settle(&cluster, 1...1)
        #expect(share(cluster)["n1"] == 16_384)
    }

    /// The first node has a lease for so many seconds.
    private func goOn(_ cluster: inout Cluster, for seconds: Int) throws {
        for _ in 0..<seconds {
            _ = try cluster.ping(1, at: cluster.core.log.head)
            cluster.tick(at: cluster.second + 1)
        }
    }

    /// A network that is cut says nothing, however long.
    @Test func silentJoinedNodesKeepOthersFromTheirSlots() throws {
        var cluster = try joined()
        try goOn(&cluster, for: 620)
        #expect(share(cluster) == ["n1": 8_192, "n2": 8_192])
    }

    @Test func nodesThatAllEndInOrderKeepTheirSlots() throws {
        var cluster = try joined()
        for node: UInt8 in 1...2 {
            cluster.send(from: node) {
                Bye(incarnation: Incarnation(UInt64(node))).encode(requestID: 0, into: &$0)
            }
        }
        for _ in 0..<14 { cluster.tick(at: cluster.second + 1) }
        try cluster.hello(1, incarnation: 11)
        for _ in 0..<14 {
            _ = try cluster.ping(1, incarnation: 11, at: cluster.core.log.head)
            cluster.tick(at: cluster.second + 1)
        }
        #expect(share(cluster) == ["n1": 8_192, "n2": 8_192])
    }

    /// Without another node that can have its slots it stays.
    @Test func aForgottenNodeKeepsItsSlotsWhereNoOtherIsThere() throws {
        var cluster = try joined()
        cluster.tick(at: cluster.second + 3.1)
        let node = try #require(NodeID("n2"))
        cluster.send(from: 90) { NodeOrder(.forget, node).encode(requestID: 9, into: &$0) }
        for _ in 0..<3 { cluster.tick(at: cluster.second + 1) }
        #expect(share(cluster) == ["n1": 8_192, "n2": 8_192])
        #expect(members(cluster) == ["n1", "n2"])
    }
}
