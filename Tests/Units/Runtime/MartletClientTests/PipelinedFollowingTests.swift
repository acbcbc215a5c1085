import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// A pipelined connection in a cluster whose nodes change meanwhile.
@Suite struct PipelinedFollowingTests {
    private static let keyCount = 60

    private func connect(_ cluster: ScriptedCluster) throws -> PipelinedConnection {
        var options = PipelinedConnection.Options()
        options.window = Self.keyCount
        return try PipelinedConnection(endpoints: [cluster.publisher.endpoint], options: options)
    }

    private func submitAll(_ connection: inout PipelinedConnection) {
        for number in 0..<Self.keyCount {
            let isTaken = Sample.bytes("key:\(number)").withUnsafeBytes {
                connection.submitGet(key: $0, tag: UInt32(number))
            }
            #expect(isTaken)
        }
        connection.flush()
    }

    /// Takes the answers of all operations in flight.
    private func outcomes(
        _ connection: inout PipelinedConnection
    ) throws -> [PipelinedOutcome: Int] {
        var outcomes: [PipelinedOutcome: Int] = [:]
        while connection.inFlightCount > 0 {
            _ = try connection.takeCompletions(limit: 100, timeout: .seconds(5)) {
                outcomes[$0.outcome, default: 0] += 1
            }
        }
        return outcomes
    }

    /// Asks for all keys again and again until a shard was asked for one.
    private func ask(
        _ connection: inout PipelinedConnection, until server: ScriptedServer
    ) throws -> [PipelinedOutcome: Int] {
        try goOn(&connection) { server.script.withLock { $0.count(.get) } > 0 }
    }

    @discardableResult
    private func goOn(
        _ connection: inout PipelinedConnection, until isOver: () -> Bool
    ) throws -> [PipelinedOutcome: Int] {
        var sum: [PipelinedOutcome: Int] = [:]
        let end = MonotonicClock.now.advanced(by: .seconds(30))
        while !isOver() {
            try #require(MonotonicClock.now < end)
            submitAll(&connection)
            sum.merge(try outcomes(&connection), uniquingKeysWith: +)
        }
        return sum
    }

    /// The cluster as it is with only some of its nodes.
    private func limit(_ cluster: ScriptedCluster, to endpoints: [String], version: UInt32) {
        cluster.state.withLock {
            $0.endpoints = endpoints
            $0.version = version
        }
    }

    @Test func aNodeThatJoinsIsAskedWithoutAnError() throws {
        let cluster = try ScriptedCluster(nodes: 3)
        let all = cluster.shards.map(\.endpoint)
        limit(cluster, to: Array(all.prefix(2)), version: 1)
        var connection = try connect(cluster)
        submitAll(&connection)
        #expect(try outcomes(&connection) == [.miss: Self.keyCount])
        limit(cluster, to: all, version: 2)
        let found = try ask(&connection, until: cluster.shards[2])
        #expect(Set(found.keys) == [.miss], "\(found)")
    }

    /// It knows nothing of the change, and what it was asked before counts.
    @Test func theLastAnswersOfANodeThatLeftAreTaken() throws {
        let cluster = try ScriptedCluster(nodes: 3)
        let all = cluster.shards.map(\.endpoint)
        var connection = try connect(cluster)
        cluster.shards[2].script.withLock { $0.isHolding = true }
        submitAll(&connection)
        limit(cluster, to: Array(all.prefix(2)), version: 2)
        var taken = 0
        let end = MonotonicClock.now.advanced(by: .seconds(30))
        while MonotonicClock.now < end,
            cluster.publisher.script.withLock({ $0.count(.topology) }) < 2
        {
            taken += try connection.takeCompletions(limit: 10, timeout: .milliseconds(10)) {
                #expect($0.outcome == .miss)
            }
            let isTaken = Sample.bytes("key:0").withUnsafeBytes {
                connection.submitGet(key: $0, tag: 0)
            }
            if isTaken { connection.flush() }
        }
        #expect(taken > 0 && connection.inFlightCount > 0)
        cluster.shards[2].script.withLock { $0.isHolding = false }
        let rest = try outcomes(&connection)
        #expect(Set(rest.keys) == [.miss], "\(rest)")
        var (before, asked) = (0, -1)
        let found = try goOn(&connection) {
            (before, asked) = (asked, cluster.shards[2].script.withLock { $0.count(.get) })
            return asked == before
        }
        #expect(Set(found.keys) == [.miss], "\(found)")
    }

    /// The publisher has not heard from it: its keys alone are lost.
    @Test func keysOfANodeWithoutAnEndpointAreLost() throws {
        let cluster = try ScriptedCluster(nodes: 3)
        let all = cluster.shards.map(\.endpoint)
        limit(cluster, to: [all[0]], version: 1)
        var connection = try connect(cluster)
        limit(cluster, to: [all[0], all[1], ""], version: 2)
        _ = try ask(&connection, until: cluster.shards[1])
        submitAll(&connection)
        let found = try outcomes(&connection)
        #expect(found[.lost, default: 0] > 5 && found[.miss, default: 0] > 20, "\(found)")
        #expect(Set(found.keys) == [.lost, .miss], "\(found)")
        limit(cluster, to: all, version: 3)
        let later = try ask(&connection, until: cluster.shards[2])
        #expect(Set(later.keys).isSubset(of: [.lost, .miss]))
        submitAll(&connection)
        #expect(try outcomes(&connection) == [.miss: Self.keyCount])
    }

    @Test func theTopologyOfAnotherClusterIsNotFollowed() throws {
        let cluster = try ScriptedCluster(nodes: 2)
        cluster.state.withLock { $0.cluster = ClusterID(7) }
        let all = cluster.shards.map(\.endpoint)
        limit(cluster, to: [all[0]], version: 1)
        var connection = try connect(cluster)
        cluster.shards[0].script.withLock { $0.cluster = ClusterID(7) }
        cluster.state.withLock { $0.cluster = ClusterID(8) }
        limit(cluster, to: all, version: 2)
        try goOn(&connection) { cluster.publisher.script.withLock { $0.count(.topology) } >= 3 }
        submitAll(&connection)
        _ = try outcomes(&connection)
        #expect(cluster.shards[1].script.withLock { $0.count(.get) } == 0)
    }
}
