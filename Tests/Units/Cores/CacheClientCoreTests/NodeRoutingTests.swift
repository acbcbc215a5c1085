import CacheClientCore
import CacheModel
import CacheWire
import Testing

@Suite struct NodeRoutingTests {
    private static let start = Instant(nanoseconds: 0)
    private static let route = RouteHash(of: Array("key".utf8), in: .default)
    private let names: [NodeID]

    init() throws {
        names = try ["n1", "n2", "n3"].map { try #require(NodeID($0)) }
    }

    private func routing(
        _ kind: TopologyReport.Kind, _ endpoints: [String], preferred: NodeID? = nil,
        slots: SlotTable? = nil
    ) -> NodeRouting {
        var routing = NodeRouting(preferred: preferred)
        var report = TopologyReport(
            version: 1, kind: kind, controlEndpoint: "c", liveEndpoint: "l",
            nodes: zip(names, endpoints).map {
                TopologyReport.Node(
                    id: $0, state: nil, weightThousandths: 1_000, endpoints: [$1])
            })
        report.slots = slots
        routing.took(Topology(report), at: Self.start)
        return routing
    }

    /// The node that the operation goes to.
    private func node(
        _ routing: inout NodeRouting, _ placement: NodeRouting.Placement = .routed,
        avoiding avoided: NodeID? = nil, bringsToken: Bool = false, down: [NodeID] = []
    ) throws(NodeRouting.Refusal) -> NodeID? {
        let topology = routing.topology
        let number = try routing.shard(
            for: Self.route, placement, avoiding: avoided.flatMap { topology?.index(of: $0) },
            bringsToken: bringsToken
        ) { index in !down.contains { topology?.index(of: $0) == index } }
        return topology?[number].node
    }

    @Test func withoutATopologyThereIsNoShard() {
        var routing = NodeRouting()
        #expect(throws: NodeRouting.Refusal.noShard) { try node(&routing) }
        #expect(routing.shardOfPlainGet(for: Self.route) { _ in true } == nil)
    }

    @Test func inAShardedClusterOnlyTheOwnerIsAskedEvenIfItIsDown() throws {
        var routing = routing(.sharded, ["a", "b", "c"])
        let owner = try #require(try node(&routing))
        for placement in [.routed, .near(names[0]), .near(names[1])] as [NodeRouting.Placement] {
            #expect(try node(&routing, placement, avoiding: owner, down: [owner]) == owner)
        }
    }

    /// Else each request of the first second of a cluster with slots would fail at once.
    @Test func whileItsSlotHasNoOwnerAKeyIsAskedOfAShardThatIsBusy() throws {
        var routing = routing(.sharded, ["a", "b", "c"], slots: SlotTable(beginningOf: Epoch(1)))
        #expect(routing.topology?.owner(of: Self.route) == nil)
        #expect(try node(&routing) != nil)
        #expect(routing.shardOfPlainGet(for: Self.route) { _ in true } != nil)
    }

    @Test func aTokenIsWorthlessOnceItsKeyHasMoved() throws {
        var routing = routing(.sharded, ["a", "b", "c"])
        let owner = try #require(try node(&routing))
        let other = try #require(names.first { $0 != owner })
        #expect(try node(&routing, .node(owner), bringsToken: true) == owner)
        #expect(try node(&routing, .node(other)) == other)
        #expect(throws: NodeRouting.Refusal.keyHasMoved) {
            try node(&routing, .node(other), bringsToken: true)
        }
    }

    @Test func anUnknownNodeIsRefusedWithTheNamesOfTheOthers() throws {
        var routing = routing(.replicated, ["a", "b", "c"])
        let stranger = try #require(NodeID("n9"))
        #expect(throws: NodeRouting.Refusal.unknownNode(stranger, known: names)) {
            try node(&routing, .node(stranger))
        }
    }

    @Test func thePreferredReplicaIsAskedUnlessItIsDownOrWasSilent() throws {
        var routing = routing(.replicated, ["a", "b", "c"], preferred: names[1])
        #expect(try node(&routing) == names[1])
        #expect(try node(&routing, avoiding: names[1]) != names[1])
        #expect(try node(&routing, down: [names[1]]) != names[1])
        #expect(try node(&routing, avoiding: names[0], down: [names[1], names[2]]) == names[0])
    }

    @Test func theNearestMeasuredReplicaIsAsked() throws {
        var routing = routing(.replicated, ["a", "b", "c"])
        for (number, milliseconds) in [5, 1, 9].enumerated() {
            let index = try #require(routing.topology?.index(of: names[number]))
            routing.measured(index, .milliseconds(milliseconds))
        }
        #expect(try node(&routing) == names[1])
    }

    @Test func thePlainGetsOfATurnGoToOneReplica() throws {
        var routing = routing(.replicated, ["a", "b", "c"])
        let first = routing.shardOfPlainGet(for: Self.route) { _ in true }
        for _ in 0..<10 {
            #expect(routing.shardOfPlainGet(for: Self.route) { _ in true } == first)
        }
        routing.forgetNearNode()
        // No replica is measured: they are chosen in turn.
        #expect(routing.shardOfPlainGet(for: Self.route) { _ in true } != first)
    }

    @Test func aShardWithoutAnEndpointIsWaitedForAWhile() throws {
        let routing = routing(.sharded, ["a", "", "c"])
        let topology = try #require(routing.topology)
        let missing = try #require(topology.index(of: names[1])).rawValue
        for (index, node) in topology.nodes.enumerated() {
            let shard = ShardNumber(node.shardNumbers.lowerBound)
            let end = routing.waitEnd(for: shard, at: Self.start)
            #expect((end != nil) == (index == missing))
        }
    }
}
