import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// What a pipelined connection does at its bounds: bytes of a message, windows, sockets.
@Suite struct PipelinedConnectionBoundsTests {
    private func connect(
        _ cluster: ScriptedCluster, _ change: (inout PipelinedConnection.Options) -> Void
    ) throws -> PipelinedConnection {
        var options = PipelinedConnection.Options()
        change(&options)
        return try PipelinedConnection(endpoints: [cluster.publisher.endpoint], options: options)
    }

    private func outcomes(
        _ connection: inout PipelinedConnection, _ count: Int
    ) throws -> [PipelinedOutcome: Int] {
        var outcomes: [PipelinedOutcome: Int] = [:]
        var left = count
        connection.flush()
        while left > 0 {
            let taken = try connection.takeCompletions(limit: 64, timeout: .seconds(5)) {
                outcomes[$0.outcome, default: 0] += 1
            }
            try #require(taken > 0, "an answer comes")
            left -= taken
        }
        return outcomes
    }

    /// - Returns: a key of so many bytes, another for each number.
    private func key(_ number: Int, bytes: Int) -> [UInt8] {
        let text = Sample.bytes("\(number):")
        return text + [UInt8](repeating: 1, count: bytes - text.count)
    }

    @Test(arguments: [(nodes: 1, connections: 255), (2, 128), (1, 4_096)])
    func moreConnectionsThanAThreadCanWatchAreRefusedWithARemedy(
        nodes: Int, connections: Int
    ) throws {
        let cluster = try ScriptedCluster(nodes: nodes)
        do {
            _ = try connect(cluster) {
                $0.connections = connections
                $0.invalidations = PipelinedConnection.Invalidations()
            }
            Issue.record("a poller does not watch that many")
        } catch let error as CacheError {
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("not \(connections); ask for fewer connections"))
        }
    }

    @Test func whereThereIsRoomForAnInvalidationItIsTaken() throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster) {
            $0.invalidations = PipelinedConnection.Invalidations()
            $0.invalidations?.window = 1
            $0.invalidations?.batch = 128
        }
        cluster.publisher.script.withLock { $0.isHolding = true }
        var count = 0
        while connection.canInvalidate, count < 128 {
            let isTaken = key(count, bytes: 4_000).withUnsafeBytes {
                connection.submitInvalidate(key: $0, tag: UInt32(count))
            }
            try #require(isTaken, "there was room for number \(count)")
            count += 1
        }
        #expect((10..<128).contains(count), "full by bytes, not by number")
        connection.flush()
        cluster.publisher.script.withLock { $0.isHolding = false }
        #expect(try outcomes(&connection, count) == [.invalidated: count])
        let hasRoomAgain = connection.canInvalidate
        #expect(hasRoomAgain)
    }

    @Test func messagesAreSentBeforeAllConnectionsExceedTheByteLimit() throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster) {
            $0.batch = 8
            $0.connections = 2
        }
        let value = Sample.pattern(300_000)
        var tag: UInt32 = 0
        func store(_ connection: inout PipelinedConnection) {
            let isTaken = value.withUnsafeBytes { value in
                key(Int(tag), bytes: 16).withUnsafeBytes {
                    connection.submitSet(key: $0, value: value, tag: tag)
                }
            }
            #expect(isTaken)
            tag += 1
        }
        // Gets fill their message first, so that the sets of both connections stay open.
        for _ in 0..<2 {
            for _ in 0..<3 { store(&connection) }
            for _ in 0..<8 {
                let isTaken = key(0, bytes: 16).withUnsafeBytes {
                    connection.submitGet(key: $0, tag: tag)
                }
                #expect(isTaken)
                tag += 1
            }
        }
        for _ in 0..<2 { store(&connection) }
        let outcomes = try outcomes(&connection, Int(tag))
        #expect(outcomes[.stored] == 8 && outcomes[.lost] == nil)
    }

    @Test(arguments: [true, false])
    func longKeysDoNotMakeAMessageThatIsTooLong(isRemoving: Bool) throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster) { $0.batch = 1_024 }
        for tag in UInt32(0)..<1_000 {
            let isTaken = key(Int(tag), bytes: CacheKey.bytesMax).withUnsafeBytes {
                isRemoving
                    ? connection.submitRemove(key: $0, tag: tag)
                    : connection.submitGet(key: $0, tag: tag)
            }
            #expect(isTaken)
        }
        let outcomes = try outcomes(&connection, 1_000)
        #expect(outcomes == [isRemoving ? .removed : .miss: 1_000])
    }

    @Test func aMessageThatIsRefusedForWantOfRoomIsBusy() throws {
        let cluster = try ScriptedCluster()
        for server in [cluster.publisher] + cluster.shards {
            server.script.withLock { $0.busyMessageCount = 1 }
        }
        var connection = try connect(cluster) {
            $0.batch = 4
            $0.invalidations = PipelinedConnection.Invalidations()
        }
        for tag in UInt32(0)..<4 {
            let isTaken = key(0, bytes: 16).withUnsafeBytes {
                connection.submitGet(key: $0, tag: tag)
            }
            #expect(isTaken)
        }
        #expect(try outcomes(&connection, 4) == [.busy: 4])
        let isTaken = key(0, bytes: 16).withUnsafeBytes {
            connection.submitInvalidate(key: $0, tag: 4)
        }
        #expect(isTaken)
        #expect(try outcomes(&connection, 1) == [.busy: 1])
    }
}
