import CacheModel
import MartletClient
import Testing
import Threading

/// Who spins is awake while it waits for answers, and only then.
@Suite struct SpinningTests {
    @Test func aPipelinedConnectionSpinsOnlyWhileSomethingIsOnItsWay() throws {
        let cluster = try ScriptedCluster()
        var options = PipelinedConnection.Options()
        options.spin = .milliseconds(10)
        var connection = try PipelinedConnection(
            endpoints: [cluster.publisher.endpoint], options: options)
        cluster.shards[0].script.withLock { $0.isHolding = true }
        let idle = try Self.wait(&connection)
        let isTaken = Sample.bytes("a").withUnsafeBytes { connection.submitGet(key: $0, tag: 1) }
        #expect(isTaken)
        connection.flush()
        let waiting = try Self.wait(&connection)
        #expect(waiting > idle * 3, "\(idle), \(waiting)")
        cluster.shards[0].script.withLock { $0.isHolding = false }
        let taken = try connection.takeCompletions(limit: 1, timeout: .seconds(10)) { _ in }
        #expect(taken == 1)
    }

    /// - Returns: the processor time that fifty waits of 10 ms in vain took.
    private static func wait(_ connection: inout PipelinedConnection) throws -> Duration {
        let pause = Duration.milliseconds(10)
        let before = ThreadTime.worked
        for _ in 0..<50 {
            let taken = try connection.takeCompletions(limit: 1, timeout: pause) { _ in }
            #expect(taken == 0)
        }
        return ThreadTime.worked - before
    }

    @Test func aClientSpinsWhileItWaitsForAnAnswer() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.isHolding = true }
        let asleep = try await Self.work(of: cluster, spin: .zero)
        let awake = try await Self.work(of: cluster, spin: .milliseconds(10))
        #expect(awake > asleep * 3, "\(asleep), \(awake)")
    }

    /// - Returns: the processor time of the client's thread while ten gets were not answered.
    private static func work(of cluster: ScriptedCluster, spin: Duration) async throws -> Duration {
        try await cluster.withClient({ $0.spin = spin }) { client in
            _ = try await client.topology()
            return await Task(executorPreference: client.executor) {
                let before = ThreadTime.worked
                var options = ReadOptions()
                options.timeout = .milliseconds(20)
                for _ in 0..<10 {
                    _ = await failure { () throws(CacheError) in
                        try await client.get(Sample.key("a"), options: options)
                    }
                }
                return ThreadTime.worked - before
            }.value
        }
    }
}
