import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Which cluster a node is of: docs/decisions/0089.
@Suite struct NodeControlCoreClusterTests {
    private let ours = ClusterID(0xA)
    private let theirs = ClusterID(0xB)

    private func welcome(
        of cluster: ClusterID, on stage: inout ControlStage
    ) -> [NodeControlAction] {
        var message = Welcome(
            log: stage.logID, head: stage.head, tail: SequenceNumber(1), leaseMilliseconds: 3_000,
            heartbeatMilliseconds: 500, versions: stage.versions, liveEndpoint: "")
        message.cluster = cluster
        return stage.control { message.encode(requestID: 1, into: &$0) }
    }

    private func pong(
        of cluster: ClusterID, on stage: inout ControlStage
    ) -> [NodeControlAction] {
        var message = Pong(
            sentAt: stage.now.nanoseconds, log: stage.logID, head: stage.head,
            leaseMilliseconds: 3_000, versions: stage.versions)
        message.cluster = cluster
        return stage.control { message.encode(requestID: 1, into: &$0) }
    }

    @Test func aNodeAdoptsTheClusterOfItsLogForItsHello() throws {
        var stage = try ControlStage()
        let first = stage.heartbeat()
        #expect(Sent.hellos(in: first).map(\.cluster) == [.none])
        _ = welcome(of: ours, on: &stage)
        #expect(stage.core.standing.cluster == ours)
        // The publisher is silent for a lease: the node greets anew.
        let again = stage.wait(.seconds(4))
        #expect(Sent.hellos(in: again).map(\.cluster) == [ours])
    }

    /// A publisher could take in a node that was started under a wrong id.
    @Test(arguments: [UInt32(0), 2_500])
    func aNodeSendsTheWeightThatItIsToJoinBy(_ weight: UInt32) throws {
        var stage = try ControlStage(resuming: nil, joinWeight: JoinWeight(rawValue: weight))
        stage.start()
        let hellos = Sent.hellos(in: stage.heartbeat())
        #expect(hellos.map(\.joinWeight.rawValue) == [weight])
    }

    @Test func aNodeLearnsItsClusterLaterAndKeepsIt() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        #expect(stage.core.standing.cluster == .none)
        _ = pong(of: ours, on: &stage)
        #expect(stage.core.standing.cluster == ours)
        _ = pong(of: .none, on: &stage)
        #expect(stage.core.standing.cluster == ours)
    }

    /// Its entries are of the old log until it has hidden them.
    @Test func aNodeChangesItsClusterOnlyAfterForgettingItsLog() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        _ = welcome(of: ours, on: &stage)
        stage.configuration()
        // The publisher is another cluster's now: with a log of its own, further on.
        let before = stage.head
        stage.logID = LogID(9)
        try stage.append(4)
        let doubted = pong(of: theirs, on: &stage)
        #expect(stage.core.standing.cluster == ours)
        let question = try #require(Sent.of(.resume, in: doubted).last)
        #expect(Sent.resumes(in: doubted).last?.after == before)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(1))
        let left = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        let forgotten = left.firstIndex { if case .forget = $0 { true } else { false } }
        let named = left.firstIndex {
            if case .setStanding(let standing) = $0 { standing.cluster == theirs } else { false }
        }
        #expect(try #require(forgotten) < #require(named))
        #expect(stage.core.standing.cluster == theirs)
    }

    @Test func whatANodePublishesNamesItsCluster() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        _ = welcome(of: ours, on: &stage)
        let key = try #require(CacheKey("k"))
        let request = ShardPublishRequest(
            shard: ShardIndex(0), ticket: 1, scopes: [Scope(.key(key, in: .default))],
            operation: OperationID(high: 1, low: 2))
        let sent = stage.perform { core, now, actions in
            core.publish(request, now: now, into: &actions)
        }
        let frame = try #require(Sent.of(.invalidate, in: sent).first).frame
        let cluster = try frame.withUnsafeBytes { try MessageView(decoding: $0).fields.cluster }
        #expect(cluster == ours)
    }
}
