import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// Removals, fills under tokens, invalidations, and several connections to a shard.
@Suite struct PipelinedConnectionWritingTests {
    /// One operation's end, kept beyond the call that told it.
    private struct Ending: Equatable {
        var tag: UInt32
        var outcome: PipelinedOutcome
        var position: LogPosition
        var token: PipelinedToken?
    }

    private func connect(
        _ cluster: ScriptedCluster, _ change: (inout PipelinedConnection.Options) -> Void = { _ in }
    ) throws -> PipelinedConnection {
        var options = PipelinedConnection.Options()
        options.invalidations = PipelinedConnection.Invalidations()
        change(&options)
        return try PipelinedConnection(endpoints: [cluster.publisher.endpoint], options: options)
    }

    private func take(_ connection: inout PipelinedConnection, _ count: Int) throws -> [Ending] {
        var endings: [Ending] = []
        connection.flush()
        while endings.count < count {
            let taken = try connection.takeCompletions(limit: 64, timeout: .seconds(5)) {
                endings.append(
                    Ending(
                        tag: $0.tag, outcome: $0.outcome, position: $0.position, token: $0.token))
            }
            try #require(taken > 0, "an answer comes")
        }
        return endings.sorted { $0.tag < $1.tag }
    }

    private func withKey<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        Sample.bytes(text).withUnsafeBytes(body)
    }

    @Test func aMissBringsATokenOnceAndTheFillHandsItBack() throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster)
        #expect(withKey("a") { connection.submitGet(key: $0, wantsToken: true, tag: 1) })
        let miss = try take(&connection, 1)[0]
        #expect(miss.outcome == .miss)
        let token = try #require(miss.token)
        #expect(token.validMilliseconds == 1_000 && token.token.nonce != 0)
        #expect(withKey("a") { connection.submitGet(key: $0, wantsToken: true, tag: 2) })
        #expect(try take(&connection, 1)[0].token == nil, "somebody else loads")
        #expect(withKey("a") { connection.submitSet(key: $0, value: $0, token: token, tag: 3) })
        #expect(try take(&connection, 1)[0].outcome == .stored)
        #expect(withKey("a") { connection.submitSet(key: $0, value: $0, token: token, tag: 4) })
        #expect(try take(&connection, 1)[0].outcome == .refused, "a token is good for one store")
        #expect(withKey("b") { connection.submitGet(key: $0, tag: 5) })
        #expect(try take(&connection, 1)[0].token == nil, "nobody asked for one")
    }

    /// Of a mixed message to a namespace with write-behind, a node refuses those with a token.
    @Test func storesWithATokenAreSentInMessagesOfTheirOwn() throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster) { $0.batch = 8 }
        for (tag, key) in ["a", "b"].enumerated() {
            let isTaken = withKey(key) {
                connection.submitGet(key: $0, wantsToken: true, tag: UInt32(tag))
            }
            #expect(isTaken)
        }
        let tokens = try take(&connection, 2).map(\.token)
        let stores = [("a", tokens[0]), ("c", nil), ("b", tokens[1]), ("d", nil), ("e", nil)]
        for (tag, store) in stores.enumerated() {
            let isTaken = withKey(store.0) {
                connection.submitSet(key: $0, value: $0, token: store.1, tag: UInt32(tag))
            }
            #expect(isTaken)
        }
        #expect(try take(&connection, 5).allSatisfy { $0.outcome == .stored })
        let seen = cluster.shards[0].script.withLock { $0.seen }.filter { $0.type == .set }
        #expect(seen.map(\.count).sorted() == [2, 3])
    }

    @Test func aRemovalIsAnsweredAndTheKeyIsGone() throws {
        let cluster = try ScriptedCluster(nodes: 3)
        var connection = try connect(cluster) { $0.batch = 4 }
        for tag in UInt32(0)..<10 {
            #expect(withKey("\(tag)") { connection.submitSet(key: $0, value: $0, tag: tag) })
        }
        #expect(try take(&connection, 10).allSatisfy { $0.outcome == .stored })
        for tag in UInt32(0)..<5 {
            #expect(withKey("\(tag)") { connection.submitRemove(key: $0, tag: tag) })
        }
        #expect(try take(&connection, 5).allSatisfy { $0.outcome == .removed })
        for tag in UInt32(0)..<10 {
            #expect(withKey("\(tag)") { connection.submitGet(key: $0, tag: tag) })
        }
        let found = try take(&connection, 10).map { $0.outcome == .hit }
        #expect(found == Array(repeating: false, count: 5) + Array(repeating: true, count: 5))
    }

    @Test func keysAreInvalidatedTogetherAndEveryOneHearsOfTheReceipt() throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster) { $0.invalidations?.batch = 3 }
        for tag in UInt32(0)..<7 {
            #expect(withKey("\(tag)") { connection.submitInvalidate(key: $0, tag: tag) })
        }
        let endings = try take(&connection, 7)
        #expect(endings.map(\.tag) == Array(0..<7))
        #expect(endings.allSatisfy { $0.outcome == .invalidated })
        #expect(endings.map(\.position.sequence.rawValue) == [1, 1, 1, 2, 2, 2, 3])
        let seen = cluster.publisher.script.withLock { $0.seen }.filter { $0.type == .invalidate }
        #expect(seen.map(\.count) == [3, 3, 1])
    }

    @Test func anIncompleteReceiptIsNoConfirmation() throws {
        let cluster = try ScriptedCluster()
        cluster.publisher.script.withLock { $0.silentCount = 1 }
        var connection = try connect(cluster)
        #expect(withKey("a") { connection.submitInvalidate(key: $0, tag: 1) })
        let ending = try take(&connection, 1)[0]
        #expect(ending.outcome == .unconfirmed && ending.position.sequence.rawValue == 1)
    }

    @Test func theWindowToThePublisherIsItsOwn() throws {
        let cluster = try ScriptedCluster()
        var connection = try connect(cluster) {
            $0.window = 2
            $0.invalidations?.window = 2
        }
        cluster.publisher.script.withLock { $0.isHolding = true }
        #expect(withKey("a") { connection.submitInvalidate(key: $0, tag: 1) })
        #expect(withKey("b") { connection.submitInvalidate(key: $0, tag: 2) })
        #expect(withKey("c") { !connection.submitInvalidate(key: $0, tag: 3) })
        #expect(withKey("a") { connection.submitGet(key: $0, tag: 4) })
        #expect(try take(&connection, 1).map(\.tag) == [4])
        cluster.publisher.script.withLock { $0.isHolding = false }
        #expect(try take(&connection, 2).map(\.tag) == [1, 2])
    }

    @Test func whatAPublisherThatIsAwayWasToldIsLost() throws {
        let cluster = try ScriptedCluster()
        let dead = try ScriptedCluster.deadEndpoint()
        cluster.state.withLock { $0.control = dead }
        var connection = try connect(cluster)
        #expect(withKey("a") { connection.submitInvalidate(key: $0, tag: 1) })
        #expect(try take(&connection, 1)[0].outcome == .lost)
        #expect(withKey("a") { connection.submitGet(key: $0, tag: 2) })
        #expect(try take(&connection, 1)[0].outcome == .miss, "the shards are there all the same")
    }

    @Test(arguments: [1, 3]) func messagesTakeTurnsOnTheConnectionsToAShard(batch: Int) throws {
        let cluster = try ScriptedCluster(nodes: 2)
        var connection = try connect(cluster) {
            $0.connections = 3
            $0.batch = batch
        }
        for tag in UInt32(0)..<200 {
            let isTaken = withKey("\(tag)") {
                tag % 3 == 0
                    ? connection.submitSet(key: $0, value: $0, tag: tag)
                    : connection.submitGet(key: $0, tag: tag)
            }
            #expect(isTaken)
        }
        #expect(try take(&connection, 200).map(\.tag) == Array(0..<200))
        #expect(connection.inFlightCount == 0)
        for shard in cluster.shards {
            #expect(shard.peers.withLock { $0.count } == 3, "each connection was used")
        }
    }
}
