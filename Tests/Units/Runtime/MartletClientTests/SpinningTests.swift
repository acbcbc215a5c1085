#if os(Linux)
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
            let longer = Duration.milliseconds(40)
            #expect(try Self.wait(&connection, longer) >= 50, "a wait for nothing sleeps")
            let isTaken = Sample.bytes("a").withUnsafeBytes {
                connection.submitGet(key: $0, tag: 1)
            }
            #expect(isTaken)
            connection.flush()
            let shorter = Duration.milliseconds(4)
            #expect(try Self.wait(&connection, shorter) < 25, "a wait for an answer does not")
            cluster.shards[0].script.withLock { $0.isHolding = false }
            let taken = try connection.takeCompletions(limit: 1, timeout: .seconds(10)) { _ in }
            #expect(taken == 1)
        }

        /// - Returns: how often fifty waits in vain went to sleep.
        private static func wait(
            _ connection: inout PipelinedConnection, _ pause: Duration
        ) throws -> Int {
            let before = try ThreadSleeps.count
            for _ in 0..<50 {
                let taken = try connection.takeCompletions(limit: 1, timeout: pause) { _ in }
                #expect(taken == 0)
            }
            return try ThreadSleeps.count - before
        }

        @Test func aClientSpinsWhileItWaitsForAnAnswer() async throws {
            let cluster = try ScriptedCluster()
            cluster.shards[0].script.withLock { $0.isHolding = true }
            let without = try await Self.sleeps(in: cluster, .zero, for: .milliseconds(40))
            let with = try await Self.sleeps(in: cluster, .milliseconds(10), for: .milliseconds(4))
            #expect(without >= 50, "each get that is not answered has it sleep")
            #expect(with < without / 4, "\(with) of \(without)")
        }

        /// - Returns: how often the client's thread went to sleep during fifty gets that were not
        ///   answered.
        private static func sleeps(
            in cluster: ScriptedCluster, _ spin: Duration, for patience: Duration
        ) async throws -> Int {
            try await cluster.withClient({ $0.spin = spin }) { client in
                _ = try await client.cluster.topology()
                return try await Task(executorPreference: client.executor) {
                    var options = ReadOptions()
                    options.timeout = patience
                    let before = try ThreadSleeps.count
                    for _ in 0..<50 {
                        _ = await failure { () throws(CacheError) in
                            try await client.get(Sample.key("a"), options: options)
                        }
                    }
                    return try ThreadSleeps.count - before
                }.value
            }
        }
    }
#endif
