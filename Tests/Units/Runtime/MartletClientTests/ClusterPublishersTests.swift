import CacheModel
import CacheWire
import TestSupport
import Testing
import Threading

@testable import MartletClient

/// The publishers of a cluster that has several, as a client gathers them.
@Suite struct ClusterPublishersTests {
    private func withClient<Result>(
        publishers count: Int, seeds: [Int] = [0],
        _ body: (CacheClient, ScriptedCluster) async throws -> Result
    ) async throws -> Result {
        let cluster = try ScriptedCluster(publishers: count)
        let last = count > 1 ? try ScriptedCluster.deadEndpoint() : ""
        for (index, publisher) in cluster.publishers.enumerated() where count > 1 {
            var figures = cluster.publishers.enumerated().map {
                StatusReport.Figure("publisher:p\($0 + 1)@\($1.endpoint)", $0 == 0 ? 1 : 0)
            }
            figures.append(.init("publisher:p9@\(last)", 0))
            figures += [.init("leading", index == 0 ? 1 : 0), .init("etcd_refusing", 0)]
            publisher.script.withLock { $0.figures = figures }
        }
        return try await cluster.withClient {
            $0.timeout = .seconds(30)
            $0.endpoints = seeds.map { cluster.publishers[$0].endpoint }
        } _: { client in
            try await body(client, cluster)
        }
    }

    @Test func eachIsAskedAndOneThatDoesNotAnswerIsShown() async throws {
        try await withClient(publishers: 2) { client, _ in
            let topology = try await client.cluster.topology()
            let told = try #require(
                await client.cluster.publishers(of: topology, timeout: .seconds(2)))
            #expect(told.publishers.map(\.name) == ["p1", "p2", "p9"])
            #expect(told.publishers.map { $0.status.value != nil } == [true, true, false])
            #expect(told.leader?.name == "p1")
        }
    }

    @Test func aStandbyTellsOfAllWhileTheLeaderIsSilent() async throws {
        try await withClient(publishers: 2, seeds: [0, 1]) { client, cluster in
            let topology = try await client.cluster.topology()
            cluster.publishers[0].script.withLock { $0.ignoresStatus = true }
            let start = ContinuousClock.now
            let told = try #require(
                await client.cluster.publishers(of: topology, timeout: .seconds(2)))
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(told.publishers.map { $0.status.value != nil } == [false, true, false])
            #expect(told.leader?.name == "p1", "by the word of the standby")
        }
    }

    @Test func aClientThatKnowsOnlyNodesFindsThePublishersWhileTheOneThatLedIsGone() async throws {
        let cluster = try ScriptedCluster(publishers: 2)
        try await cluster.withClient {
            $0.timeout = .seconds(30)
            $0.endpoints = [cluster.shards[0].endpoint]
        } _: { client in
            let topology = try await client.cluster.topology()
            let places = cluster.publishers.enumerated().map {
                StatusReport.Figure("publisher:p\($0 + 1)@\($1.endpoint)", UInt64($0))
            }
            cluster.publishers[0].script.withLock { $0.ignoresStatus = true }
            cluster.publishers[1].script.withLock { $0.figures = places + [.init("leading", 1)] }
            cluster.lead(1)
            let told = try #require(
                await client.cluster.publishers(of: topology, timeout: .seconds(5)))
            #expect(told.publishers.map(\.leads) == [false, true])
        }
    }

    @Test func theOnlyPublisherIsAskedNothingMore() async throws {
        try await withClient(publishers: 1) { client, cluster in
            let topology = try await client.cluster.topology()
            let snapshot = await client.cluster.snapshot(of: topology)
            #expect(snapshot.publishers == nil)
            #expect(cluster.publisher.script.withLock { $0.count(.status) } == 1)
        }
    }

    // MARK: What they tell

    private func snapshot(
        _ sequence: UInt64, _ figures: [String: UInt64]
    ) throws -> Result<StatusSnapshot, CacheError> {
        .success(
            StatusSnapshot(
                role: .publisher, state: .live, name: "p",
                position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence)),
                digest: LogDigest(1), figures: figures, nodes: []))
    }

    @Test func theLeadersWordCountsAndItsTermIsAsOldAsTheOldestMemory() throws {
        let member = "http://e1:2379"
        let told = ClusterPublishers([
            (
                .init(name: "p2", endpoint: "tcp://b:1"),
                try snapshot(
                    15,
                    [
                        "leading": 0, "term": 9, "term_ms": 900, "etcd_refusing": 1,
                        "etcd_member_condition:\(member)": 1,
                    ])
            ),
            (
                .init(name: "p1", endpoint: "tcp://a:1"),
                try snapshot(
                    17,
                    [
                        "leading": 1, "term": 9, "term_ms": 800, "etcd_refusing": 0,
                        "etcd_member_condition:\(member)": 77, "etcd_member_leads:\(member)": 1,
                        "etcd_member_bytes:\(member)": 20_480,
                    ])
            ),
        ])
        #expect(told.publishers.map(\.name) == ["p1", "p2"])
        #expect(told.publishers.map(\.leads) == [true, false])
        #expect(told.publishers.map(\.reachesEtcd) == [true, false])
        #expect(told.publishers.map(told.lag) == [nil, 2])
        #expect(told.term == 9 && told.termAge == .milliseconds(900))
        #expect(
            told.etcd == [
                .init(
                    endpoint: member, condition: .troubled, isLeader: true, databaseBytes: 20_480)
            ])
    }

    @Test func placesAreReadAsFarAsTheyAreWhole() throws {
        let told = try snapshot(
            1, ["publisher:p2@tcp://b:1?key=a@b": 0, "publisher:p1@tcp://a:1": 1, "publisher:": 1]
        ).get()
        #expect(
            ClusterPublishers.places(told) == [
                .init(name: "p1", endpoint: "tcp://a:1"),
                .init(name: "p2", endpoint: "tcp://b:1?key=a@b"),
            ])
    }
}
