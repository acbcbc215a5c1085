import ByteCoding
import CacheModel
import CacheWire
import Testing

@Suite struct TopologyTests {
    static func report(
        _ kind: TopologyReport.Kind = .sharded, weights: [UInt32], shards: Int = 1
    ) -> TopologyReport {
        TopologyReport(
            version: 1, kind: kind, controlEndpoint: "tcp://127.0.0.1:1", liveEndpoint: "",
            nodes: weights.enumerated().compactMap { index, weight in
                NodeID("n\(index + 1)").map { id in
                    TopologyReport.Node(
                        id: id, state: .live, weightThousandths: weight,
                        endpoints: (0..<shards).map { "tcp://127.0.0.1:\(1_000 + $0)" })
                }
            })
    }

    static func topology(_ weights: [UInt32], shards: Int = 1) -> Topology {
        Topology(report(weights: weights, shards: shards))
    }

    private static let routes: [RouteHash] = (0..<30_000).map {
        RouteHash(of: Array("key:\($0)".utf8), in: .default)
    }

    /// Keys of each node, by the node's place.
    private static func shares(_ topology: Topology) -> [Int] {
        var shares = [Int](repeating: 0, count: topology.nodes.count)
        for route in routes {
            if let number = topology.owner(of: route) {
                shares[topology[number].nodeIndex.rawValue] += 1
            }
        }
        return shares
    }

    @Test func aTopologyThatNamesANodeTwiceIsMalformed() throws {
        var report = Self.report(weights: [1_000, 1_000, 1_000])
        func decoded() throws -> TopologyReport {
            var writer = ByteWriter()
            report.encode(requestID: 1, into: &writer)
            return try writer.array.withUnsafeBytes {
                try TopologyReport(decoding: MessageView(decoding: $0))
            }
        }
        #expect(try decoded() == report)
        report.nodes[2].id = report.nodes[0].id
        #expect {
            try decoded()
        } throws: { ($0 as? WireRefusal)?.code == .malformed }
    }

    @Test func aSlotIsHashedByNodeAndShardAsTheProtocolSays() throws {
        let topology = Self.topology([1_000, 1_000], shards: 2)
        let route = RouteHash(of: Array("user:1".utf8), in: .default)
        // Section 6, done by hand.
        #expect(
            route.rawValue == StableHash.hash(Array("default".utf8) + [0] + Array("user:1".utf8)))
        let scores = [("n1", 0), ("n1", 1), ("n2", 0), ("n2", 1)].map { node, shard in
            StableHash.mix(
                route.rawValue ^ StableHash.hash(Array(node.utf8) + [0, UInt8(shard), 0]))
        }
        let best = try #require(scores.indices.max { scores[$0] < scores[$1] })
        #expect(topology.owner(of: route) == ShardNumber(best))
    }

    @Test func theNamespaceIsPartOfTheRouteEvenTheDefaultOne() throws {
        let other = try #require(Namespace("images"))
        let key = Array("a".utf8)
        #expect(RouteHash(of: key, in: .default) != RouteHash(of: key, in: other))
        var hasher = RouteHasher(other)
        let plain = key.withUnsafeBytes { hasher.hash($0) }
        #expect(plain.rawValue == RouteHash(of: key, in: other).rawValue && plain.slot == .first)
        hasher.areSlotsNeeded = true
        for _ in 0..<2 {
            let hash = key.withUnsafeBytes { hasher.hash($0) }
            #expect(hash == RouteHash(of: key, in: other))
        }
    }

    @Test func keysAreSpreadEvenlyOverNodesOfOneWeight() {
        let shares = Self.shares(Self.topology([1_000, 1_000, 1_000], shards: 2))
        for share in shares { #expect((9_500...10_500).contains(share), "\(shares)") }
    }

    @Test func keysAreSpreadByWeight() {
        let shares = Self.shares(Self.topology([1_000, 2_000, 3_000]))
        #expect((4_600...5_400).contains(shares[0]), "\(shares)")
        #expect((9_500...10_500).contains(shares[1]), "\(shares)")
        #expect((14_400...15_600).contains(shares[2]), "\(shares)")
    }

    @Test func aNewNodeTakesOnlyTheKeysThatItWins() throws {
        let before = Self.topology([1_000, 1_000, 1_000])
        let after = Self.topology([1_000, 1_000, 1_000, 1_000])
        var moved = 0
        for route in Self.routes {
            let old = try #require(before.owner(of: route))
            let new = try #require(after.owner(of: route))
            guard before[old].node != after[new].node else { continue }
            #expect(after[new].node == NodeID("n4"))
            moved += 1
        }
        #expect((6_900...8_100).contains(moved))
    }

    @Test func bothRulesChooseAlikeForEqualWeights() {
        // A fourth node without weight makes the others follow the weighted rule.
        let plain = Self.topology([1_000, 1_000, 1_000])
        let weighted = Self.topology([1_000, 1_000, 1_000, 0])
        for route in Self.routes.prefix(5_000) {
            #expect(plain.owner(of: route) == weighted.owner(of: route))
        }
    }

    @Test func ofReplicasTheShardIsChosenWithinTheNode() throws {
        let topology = Topology(Self.report(.replicated, weights: [1_000, 1_000], shards: 3))
        for node in 0..<2 {
            for route in Self.routes.prefix(500) {
                let number = try #require(topology.shard(of: route, on: NodeIndex(node)))
                #expect(topology[number].nodeIndex == NodeIndex(node))
            }
        }
    }

    @Test func whatANewPublisherDoesNotKnowYetIsRemembered() throws {
        let older = Self.topology([1_000, 1_000], shards: 2)
        var report = Self.report(weights: [1_000, 1_000, 1_000], shards: 2)
        report.nodes[0].endpoints = ["", "tcp://127.0.0.1:9"]
        report.nodes[2].endpoints = ["", ""]
        let told = Topology(report)
        let whole = told.remembering(older)
        #expect(whole.shards[0].endpoint == older.shards[0].endpoint)
        #expect(whole.shards[1].endpoint == "tcp://127.0.0.1:9")
        #expect(whole.shards[2...3] == older.shards[2...3])
        #expect(whole.shards[4].endpoint.isEmpty, "nobody has ever told it")
        #expect(!whole.isWhole && older.isWhole)
        let route = try #require(Self.routes.first)
        #expect(whole.owner(of: route) == told.owner(of: route))
    }

    /// Leaving one out moves its keys and no others, as if it had never been there.
    @Test(arguments: [[1_000, 1_000, 1_000], [1_000, 3_000, 0, 2_000]] as [[UInt32]])
    func anOwnerAmongSomeIsTheOwnerWhereOnlyTheyAre(weights: [UInt32]) {
        let all = Self.topology(weights, shards: 2)
        for excluded in weights.indices {
            for route in Self.routes.prefix(2_000) {
                let among = all.owner(of: route) { $0.rawValue != excluded }
                let owner = all.owner(of: route)
                if let owner, all[owner].nodeIndex.rawValue != excluded {
                    #expect(among == owner)
                } else {
                    #expect(among.map { all[$0].nodeIndex.rawValue } != excluded)
                }
            }
        }
        #expect(all.owner(of: RouteHash(1, slot: .first)) { _ in false } == nil)
        for route in Self.routes.prefix(100) {
            #expect(all.owner(of: route) { _ in true } == all.owner(of: route))
        }
    }

    @Test func nothingOwnsAKeyWhereNothingIs() {
        #expect(Self.topology([]).owner(of: RouteHash(1, slot: .first)) == nil)
        #expect(Self.topology([1_000], shards: 0).owner(of: RouteHash(1, slot: .first)) == nil)
        #expect(
            Self.topology([0, 0]).owner(of: RouteHash(1, slot: .first)) != nil,
            "equal weights are equal")
        #expect(Self.topology([0, 0]).index(of: Self.sample) == nil)
    }

    private static var sample: NodeID {
        guard let id = NodeID("stranger") else { preconditionFailure("a legal name") }
        return id
    }
}
