import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

@Suite struct PublishingCoreTopologyTests {
    private func ask(_ type: MessageType, _ cluster: inout Cluster) {
        cluster.forget()
        cluster.send(from: 90) { writer in
            let message = MessageWriter(type, requestID: 8, into: &writer)
            message.finish(&writer, count: 0)
        }
    }

    private func topology(_ cluster: inout Cluster) throws -> TopologyReport {
        ask(.topology, &cluster)
        return try cluster.hear(90, .topologyReport) { try TopologyReport(decoding: $0) }
    }

    @Test func itListsWhatIsConfiguredAndWhatWasHeard() throws {
        var cluster = Cluster(nodes: 2) { $0.kind = .replicated }
        try cluster.hello(2)
        let report = try topology(&cluster)
        #expect(report.kind == .replicated && report.version == 101)
        #expect(report.controlEndpoint == "tcp://127.0.0.1:7400")
        #expect(report.nodes.map(\.id.name) == ["n1", "n2"])
        #expect(report.nodes.map(\.state) == [nil, .starting])
        #expect(report.nodes.map(\.endpoints) == [[""], ["tcp://127.0.0.1:7520"]])
    }

    @Test func theVersionRisesOnlyWhenSomethingChanged() throws {
        var cluster = try Cluster.live(nodes: 2)
        let version = try topology(&cluster).version
        try cluster.hello(1)
        try cluster.hello(1, incarnation: 40)
        #expect(try topology(&cluster).version == version)
        try cluster.hello(1, incarnation: 41, endpoint: "tcp://127.0.0.1:9999")
        #expect(try topology(&cluster).version == version + 1)
    }

    /// It may be lost again: a node that was told of its members would wait for it for ever.
    @Test func noEpochIsToldBeforeItBegan() throws {
        var cluster = try Cluster.live(nodes: 1, outlivesItsProcess: true)
        cluster.core.log.isBeginningLate = true
        cluster.sendPing(1, at: .at(9))
        #expect(cluster.core.log.head.position.epoch == Epoch(2))
        ask(.topology, &cluster)
        #expect(try cluster.error(to: 90).knownCode == .busy)
        cluster.core.log.isBegun = true
        #expect(try topology(&cluster).kind == .sharded)
    }

    @Test func aNodeIsSuspectOnceItsGrantEnds() throws {
        var cluster = try Cluster.live(nodes: 1)
        #expect(try topology(&cluster).nodes[0].state == .live)
        cluster.tick(at: 14)
        #expect(try topology(&cluster).nodes[0].state == .suspect)
    }

    @Test func aNewConfigurationIsTakenOver() throws {
        var cluster = try Cluster.live(nodes: 2)
        let before = try topology(&cluster).version
        var plan = PublisherPlan(nodes: [
            .init(id: try #require(NodeID("n2")), shards: 1),
            .init(id: try #require(NodeID("n7")), shards: 3),
        ])
        plan.configuration = ConfigReport(revision: 5, text: "new")
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        cluster.tick()
        #expect(try cluster.heartbeats.last?.versions.configRevision == 5)
        let report = try topology(&cluster)
        #expect(report.version > before)
        #expect(report.nodes.map(\.endpoints.count) == [1, 3])
        cluster.sendPing(1, at: cluster.core.log.head)
        #expect(try cluster.error(to: 1).knownCode == .notRegistered)
        // What it was granted it still holds: it is waited for.
        cluster.invalidate(.all, timeout: 100)
        cluster.tick()
        cluster.forget()
        cluster.tick(at: 10.1)
        #expect(try cluster.receipt().pending.map(\.name) == ["n2", "n1"])
    }

    @Test func theConfigurationIsServedAsItWasWritten() throws {
        var cluster = Cluster(nodes: 1)
        ask(.config, &cluster)
        let report = try cluster.hear(90, .configReport) { try ConfigReport(decoding: $0.body) }
        #expect(report.revision == 4 && report.text == "nodes: []\n")
        var big = Cluster(nodes: 1) {
            $0.configuration = ConfigReport(
                revision: 1, text: String(repeating: "a", count: 1 << 20))
        }
        ask(.config, &big)
        #expect(try big.error(to: 90).knownCode == .outOfRange)
    }

    @Test func theStatusTellsWhereEverybodyStands() throws {
        var cluster = Cluster(nodes: 2)
        ask(.status, &cluster)
        let early = try cluster.hear(90, .statusReport) { try StatusReport(decoding: $0) }
        #expect(early.state == .syncing && early.mark == .none)
        #expect(early.nodes.allSatisfy { $0.incarnation == .none })
        cluster = try Cluster.live(nodes: 2)
        cluster.invalidate(.none)
        cluster.tick()
        ask(.status, &cluster)
        let report = try cluster.hear(90, .statusReport) { try StatusReport(decoding: $0) }
        #expect(report.role == .publisher && report.state == .live)
        #expect(report.mark == cluster.core.log.head)
        #expect(report.figure("records") == 1 && report.figure("receipts_complete") == 1)
        #expect(report.nodes.map(\.state) == [.live, .live])
        #expect(report.nodes.map(\.grantLeftMilliseconds) == [3_030, 3_030])
        #expect(report.nodes.map(\.applied) == [.at(0), .at(0)])
    }
}
