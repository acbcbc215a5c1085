import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// FORGET, and what the publisher forgets by itself.
@Suite struct PublishingCoreForgettingTests {
    private func order(_ name: String, _ cluster: inout Cluster) throws {
        let node = try #require(NodeID(name))
        cluster.forget()
        cluster.send(from: 90) { NodeOrder(.forget, node).encode(requestID: 8, into: &$0) }
    }

    private func forget(_ name: String, _ cluster: inout Cluster) throws -> Done {
        try order(name, &cluster)
        return try cluster.hear(90, .done) { try Done(decoding: $0.body) }
    }

    private func refusal(_ name: String, _ cluster: inout Cluster) throws -> ErrorReply {
        try order(name, &cluster)
        return try cluster.error(to: 90)
    }

    private func incarnations(_ cluster: inout Cluster) throws -> [UInt64] {
        cluster.forget()
        cluster.send(from: 90) { writer in
            MessageWriter(.status, requestID: 8, into: &writer).finish(&writer, count: 0)
        }
        return try cluster.hear(90, .statusReport) { try StatusReport(decoding: $0) }
            .nodes.map(\.incarnation.rawValue)
    }

    @Test func forgettingALeasedNodeIsRefusedWithTheRemainingTime() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.tick(at: 12)
        let error = try refusal("n1", &cluster)
        #expect(error.knownCode == .leased)
        #expect(error.retryAfterMilliseconds == 1_030)
        #expect(error.message.contains("LIVE") && error.message.contains("1030 ms"))
        #expect(error.message.contains("martlet drain n1"))
        #expect(try incarnations(&cluster) == [1, 2])
        cluster.invalidate(.all)
        cluster.tick()
        #expect(!cluster.order.contains(.receipt), "its grant is waited for as before")
    }

    @Test func aDeadNodeIsForgottenOnceItsGrantIsOver() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.tick(at: 13.03)
        #expect(try forget("n1", &cluster) == Done(incarnation: Incarnation(1), runCount: 1))
        #expect(try incarnations(&cluster) == [0, 2])
        #expect(try forget("n1", &cluster) == Done(incarnation: .none, runCount: 0))
        #expect(cluster.core.statistics.runsRemoved == [.forgotten: 1])
    }

    /// The grant ran out between two turns, and nobody has noticed yet.
    @Test func forgettingANodeCompletesReceiptsThatWaitForIt() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.tick(at: 12)
        cluster.invalidate(.all, timeout: 60_000)
        cluster.tick()
        cluster.ack(2, at: cluster.core.log.head)
        cluster.second = 13.03
        _ = try forget("n1", &cluster)
        cluster.forget()
        cluster.tick()
        #expect(try cluster.receipt().expired.map(\.node.name) == ["n1"])
    }

    @Test func forgettingANodeDoesNotChangeKeyOwnership() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.tick(at: 14)
        func topology(_ cluster: inout Cluster) throws -> TopologyReport {
            cluster.forget()
            cluster.send(from: 90) { writer in
                MessageWriter(.topology, requestID: 8, into: &writer).finish(&writer, count: 0)
            }
            return try cluster.hear(90, .topologyReport) { try TopologyReport(decoding: $0) }
        }
        let before = try topology(&cluster)
        _ = try forget("n1", &cluster)
        var after = try topology(&cluster)
        #expect(after.nodes.map(\.state) == [nil, .suspect])
        for index in after.nodes.indices { after.nodes[index].state = before.nodes[index].state }
        #expect(after == before)
    }

    @Test func aForgottenRunThatReturnsRegistersAgainAndGetsALease() throws {
        var cluster = try Cluster.live(nodes: 1)
        let head = cluster.core.log.head
        cluster.tick(at: 14)
        _ = try forget("n1", &cluster)
        cluster.sendPing(1, at: head)
        #expect(try cluster.error(to: 1).knownCode == .notRegistered)
        try cluster.hello(1, log: Cluster.freshID, at: head)
        #expect(try cluster.ping(1, at: head).leaseMilliseconds == 3_000)
    }

    @Test func forgettingAnUnheardNodeWaitsForEarlierGrants() throws {
        var cluster = Cluster(nodes: 2)
        cluster.tick(at: 1)
        let error = try refusal("n2", &cluster)
        #expect(error.knownCode == .leased && error.retryAfterMilliseconds == 2_030)
        #expect(error.message.contains("2030 ms"))
        cluster.tick(at: 3.03)
        #expect(try forget("n2", &cluster).runCount == 0)
    }

    @Test func aStrangerIsRefused() throws {
        var cluster = try Cluster.live(nodes: 1)
        let error = try refusal("n9", &cluster)
        #expect(error.knownCode == .notRegistered && error.message.contains("n9"))
    }

    @Test func aGoodbyeLeavesNothingToForgetAndNothingToWaitFor() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.send(from: 1) { Bye(incarnation: Incarnation(1)).encode(requestID: 0, into: &$0) }
        #expect(try incarnations(&cluster) == [0, 2])
        #expect(try forget("n1", &cluster).runCount == 0)
        #expect(cluster.core.statistics.runsRemoved == [.bye: 1])
        cluster.invalidate(.all)
        cluster.tick()
        cluster.forget()
        cluster.ack(2, at: cluster.core.log.head)
        cluster.tick()
        #expect(try cluster.receipt().isComplete)
    }

    @Test func tenMinutesAfterItsLastGrantANodeIsForgottenByItself() throws {
        var cluster = try Cluster.live(nodes: 2)
        let end = 13.03 + 600
        // The other one goes on.
        for second in stride(from: 12, to: end, by: 2) {
            cluster.tick(at: second)
            _ = try cluster.ping(2, at: cluster.core.log.head)
        }
        cluster.tick(at: end - 0.01)
        #expect(try incarnations(&cluster) == [1, 2])
        cluster.tick(at: end + 1)
        #expect(try incarnations(&cluster) == [0, 2])
        #expect(cluster.core.statistics.runsRemoved == [.silent: 1])
        let figures = cluster.core.statistics.figures
        #expect(figures.first { $0.name == "runs_removed_silent" }?.value == 1)
    }
}
