import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct PipelinedConnectionTests {
    private func endpoints(_ cluster: ScriptedCluster) -> [String] { [cluster.publisher.endpoint] }

    /// Stores and then asks for `count` keys, and counts what became of them.
    private func run(
        _ connection: inout PipelinedConnection, count: Int, isStoring: Bool
    ) throws -> [PipelinedOutcome: Int] {
        var outcomes: [PipelinedOutcome: Int] = [:]
        var next = 0
        var seen = [Bool](repeating: false, count: count)
        while seen.contains(false) {
            while next < count {
                let key = Sample.bytes("key:\(next)")
                let isTaken = key.withUnsafeBytes { bytes in
                    isStoring
                        ? connection.submitSet(key: bytes, value: bytes, tag: UInt32(next))
                        : connection.submitGet(key: bytes, tag: UInt32(next))
                }
                guard isTaken else { break }
                next += 1
            }
            if next == count { connection.flush() }
            _ = try connection.takeCompletions(limit: 100, timeout: .seconds(5)) {
                outcomes[$0.outcome, default: 0] += 1
                #expect(!seen[Int($0.tag)], "each operation ends once")
                seen[Int($0.tag)] = true
                if $0.outcome == .hit {
                    #expect($0.value.elementsEqual(Sample.bytes("key:\($0.tag)")))
                }
            }
        }
        #expect(connection.inFlightCount == 0)
        return outcomes
    }

    @Test(arguments: [1, 7, 64])
    func everyOperationEndsOnceWithItsOwnAnswer(batch: Int) throws {
        let cluster = try ScriptedCluster(nodes: 3)
        var options = PipelinedConnection.Options()
        options.window = 16
        options.batch = batch
        var connection = try PipelinedConnection(endpoints: endpoints(cluster), options: options)
        #expect(try run(&connection, count: 1_000, isStoring: true) == [.stored: 1_000])
        #expect(try run(&connection, count: 1_000, isStoring: false) == [.hit: 1_000])
        // Routing is the same as the client's: each key lies where its owner is asked.
        for shard in cluster.shards {
            #expect(shard.script.withLock { $0.seen.allSatisfy { $0.count <= batch } })
            #expect(shard.script.withLock { $0.count(.get) } > 0)
        }
    }

    @Test func aReplicatedClusterIsAskedAtOneNode() throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        var options = PipelinedConnection.Options()
        options.node = Sample.node("n1")
        var connection = try PipelinedConnection(endpoints: endpoints(cluster), options: options)
        #expect(try run(&connection, count: 50, isStoring: false) == [.miss: 50])
        #expect(cluster.shards.map { $0.script.withLock { $0.count(.get) } } == [0, 50, 0])
    }

    @Test func abandonedRequestsEndAsLostAndTheirLateRepliesAreIgnored() throws {
        let cluster = try ScriptedCluster()
        var connection = try PipelinedConnection(endpoints: endpoints(cluster))
        // The late answers will be hits, so they cannot pass for the misses asked for later.
        let isStored = Sample.bytes("a").withUnsafeBytes {
            connection.submitSet(key: $0, value: $0, tag: 9)
        }
        #expect(isStored)
        _ = try connection.takeCompletions(limit: 1, timeout: .seconds(5)) {
            #expect($0.tag == 9 && $0.outcome == .stored)
        }
        cluster.shards[0].script.withLock { $0.isHolding = true }
        for tag in UInt32(0)..<3 {
            let isTaken = Sample.bytes("a").withUnsafeBytes {
                connection.submitGet(key: $0, tag: tag)
            }
            #expect(isTaken)
        }
        var given: [UInt32] = []
        let count = connection.giveUp(sentBefore: Instant(nanoseconds: .max)) {
            #expect($0.outcome == .lost)
            given.append($0.tag)
        }
        #expect(count == 3 && given.sorted() == [0, 1, 2] && connection.inFlightCount == 0)
        cluster.shards[0].script.withLock { $0.isHolding = false }
        #expect(try run(&connection, count: 20, isStoring: false) == [.miss: 20])
    }

    @Test func anAnswerThatCannotBeReadIsARefusal() throws {
        let cluster = try ScriptedCluster()
        var connection = try PipelinedConnection(endpoints: endpoints(cluster))
        cluster.shards[0].script.withLock { $0.unknownStatusCount = 2 }
        #expect(try run(&connection, count: 5, isStoring: false) == [.refused: 2, .miss: 3])
    }

    @Test func connectingToAnUnreachableClusterFailsInTime() throws {
        let dead = try ScriptedCluster.deadEndpoint()
        var options = PipelinedConnection.Options()
        options.timeout = .milliseconds(100)
        do {
            _ = try PipelinedConnection(endpoints: [dead], options: options)
            Issue.record("nobody was there")
        } catch {
            #expect(error.code == .disconnected && error.message.contains(dead))
        }
    }
}
