import CacheClientCore
import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading
import ZeroMQ

/// A publisher that has started anew knows who is in the cluster, and not yet where.
@Suite struct UnplacedNodeTests {
    /// A cluster whose only node has not said where it is.
    private func unplaced() throws -> (ScriptedCluster, place: String) {
        let cluster = try ScriptedCluster()
        let place = cluster.shards[0].endpoint
        cluster.state.withLock { $0.endpoints = [""] }
        return (cluster, place)
    }

    /// Has the node say where it is, once somebody has heard that nobody knows.
    private func tellLater(_ cluster: ScriptedCluster, _ place: String) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(20)
        while cluster.publisher.script.withLock({ $0.count(.topology) }) == 0 {
            try #require(clock.now < end)
            await Task.yield()
        }
        cluster.state.withLock {
            $0.endpoints = [place]
            $0.version = 2
        }
    }

    @Test func aRequestBeforeNodesReportTheirEndpointsIsServed() async throws {
        let (cluster, place) = try unplaced()
        try await cluster.withClient {
            $0.timeout = .seconds(20)
        } _: { client in
            async let stored = client.set(Sample.key("k"), to: Sample.bytes("v"))
            try await tellLater(cluster, place)
            _ = try await stored
            #expect(try await client.get(Sample.key("k"))?.bytes == Sample.bytes("v"))
        }
    }

    @Test func aNodeThatStaysAwayIsWaitedForOnce() async throws {
        let (cluster, _) = try unplaced()
        let clock = ContinuousClock()
        try await cluster.withClient {
            $0.timeout = .seconds(60)
        } _: { client in
            for isFirst in [true, false] {
                let start = clock.now
                let error = await #expect(throws: CacheError.self) {
                    _ = try await client.get(Sample.key("k"))
                }
                #expect(error?.code == .disconnected && error?.mayHaveHappened == false)
                #expect((clock.now - start >= .seconds(2)) == isFirst)
            }
        }
    }

    @Test func aTimeoutReportsTheMissingNodeEndpoint() async throws {
        let (cluster, _) = try unplaced()
        try await cluster.withClient {
            $0.timeout = .milliseconds(600)
        } _: { client in
            let error = await #expect(throws: CacheError.self) {
                _ = try await client.get(Sample.key("k"))
            }
            #expect(error?.code == .disconnected)
            #expect(error?.message.contains("has not said where it is") == true, "\(error as Any)")
        }
    }

    /// Or the first request after a server's return could be refused although it is there again.
    @Test func theReconnectIntervalIsAtMostHalfTheUnreachableTimeout() {
        #expect(ZeroMQLimits.reconnectIntervalMaxDefault * 2 <= ClientLimits.unreachableAfter)
    }

    /// It asks the first replica alone.
    @Test func aPipelineToReplicasWaitsForOneReplicaOnly() throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        cluster.state.withLock { $0.endpoints[1] = "" }
        let start = ContinuousClock.now
        _ = try PipelinedConnection(
            endpoints: [cluster.publisher.endpoint], options: PipelinedConnection.Options())
        #expect(ContinuousClock.now - start < ClientLimits.placeWaitMax)
    }

    /// One that is silent once is asked again rather than one that nobody can find.
    @Test func aReplicaThatWasSilentIsBetterThanOneWithoutAPlace() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        cluster.state.withLock { $0.endpoints[1] = "" }
        try await cluster.withClient {
            $0.timeout = .seconds(20)
        } _: { client in
            // Who was never heard comes first: from now on only one of them was not.
            _ = try await client.get(Sample.key("k"))
            cluster.shards[0].script.withLock { $0.silentCount = 1 }
            let found = try await client.get(Sample.key("k"))
            #expect(found == nil)
        }
    }

    @Test func aPipelineIsOpenedOnceTheNodesHaveSaidWhereTheyAre() async throws {
        let (cluster, place) = try unplaced()
        let opening = Task.detached {
            let connection = try PipelinedConnection(
                endpoints: [cluster.publisher.endpoint], options: PipelinedConnection.Options())
            return connection.inFlightCount
        }
        try await tellLater(cluster, place)
        #expect(try await opening.value == 0)
    }
}
