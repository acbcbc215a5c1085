import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// The begin and the end of a term of leadership: docs/decisions/0118.
@Suite struct PublishingCoreTermsTests {
    /// Three live nodes on a log that several publishers lead, whose appends end when the test says
    /// so.
    private func shared() throws -> Cluster {
        var cluster = try Cluster.live()
        cluster.core.log.isShared = true
        cluster.core.log.isSlow = true
        cluster.core.recall(OperationMemory(), nil, now: cluster.now)
        return cluster
    }

    private func handOver(_ cluster: inout Cluster, to control: String = "tcp://b:1") {
        var actions: [PublisherAction] = []
        cluster.core.handOver(
            to: NotLeader(controlEndpoint: control, name: "p2"), into: &actions)
        cluster.take(actions)
    }

    private func answer(_ cluster: inout Cluster, to peer: UInt8) throws -> NotLeader {
        try cluster.hear(peer, .notLeader) { try NotLeader(decoding: $0.body) }
    }

    @Test func aRequestThatWasNotAppendedIsHandedOverAsNotDone() throws {
        var cluster = try shared()
        cluster.invalidate(.all, from: 50)
        cluster.tick(at: 10.1)
        cluster.invalidate(.all, from: 51)
        cluster.tick(at: 10.2)
        handOver(&cluster)
        let replies = cluster.replies
        let first = try #require(replies.first { $0.peer == 50 }?.frame)
        let second = try #require(replies.first { $0.peer == 51 }?.frame)
        #expect(try notLeader(first).mayHaveHappened, "its append is under way")
        #expect(try !notLeader(second).mayHaveHappened, "it was only queued")
        #expect(try notLeader(first).controlEndpoint == "tcp://b:1")
    }

    private func notLeader(_ frame: [UInt8]) throws -> NotLeader {
        try frame.withUnsafeBytes { try NotLeader(decoding: MessageView(decoding: $0).body) }
    }

    @Test func aWaitForAReceiptIsHandedOver() throws {
        var cluster = try shared()
        cluster.invalidate(.all, from: 50)
        cluster.tick(at: 10.1)
        try cluster.finishAppend()
        cluster.forget()
        handOver(&cluster)
        #expect(try answer(&cluster, to: 50).mayHaveHappened)
    }

    @Test func aNodeThatWaitsForAConfirmationIsToldTheNextLeader() throws {
        var cluster = try shared()
        cluster.sendPing(1, at: cluster.core.log.head)
        cluster.tick(at: 10.1)
        handOver(&cluster)
        #expect(try answer(&cluster, to: 1).name == "p2")
    }

    @Test func aClientIsToldAtItsDeadlineThatTheLogDoesNotAnswer() throws {
        var cluster = try shared()
        cluster.invalidate(.none, timeout: 500, from: 50)
        cluster.tick(at: 10.1)
        cluster.tick(at: 10.4)
        #expect(cluster.replies.isEmpty)
        cluster.tick(at: 10.7)
        let error = try cluster.hear(50, .error) { try ErrorReply(decoding: $0) }
        #expect(error.knownCode == .unavailable)
        #expect(error.message.contains("may have been invalidated"))
        try cluster.finishAppend()
        #expect(cluster.replies.isEmpty, "it was answered already")
        #expect(cluster.broadcasts.count == 1, "and its record goes to the nodes")
    }

    @Test func aRepetitionOfWhatMayBeInTheLogIsNotCalledUndone() throws {
        var cluster = try shared()
        cluster.invalidate(.none, operation: 8, from: 50)
        cluster.tick(at: 10.1)
        cluster.invalidate(.none, timeout: 200, operation: 8, from: 51)
        cluster.invalidate(.none, timeout: 200, operation: 9, from: 52)
        cluster.tick(at: 10.2)
        cluster.tick(at: 10.5)
        let replies = cluster.replies
        let repeated = try Cluster.decode(try #require(replies.first { $0.peer == 51 }?.frame)) {
            try ErrorReply(decoding: $0)
        }
        let other = try Cluster.decode(try #require(replies.first { $0.peer == 52 }?.frame)) {
            try ErrorReply(decoding: $0)
        }
        #expect(repeated.knownCode == .unavailable)
        #expect(repeated.message.contains("may have been invalidated"))
        #expect(other.knownCode == .busy && other.message.contains("nothing was invalidated"))
    }

    @Test func anAppendHasNoMoreBytesThanTheLogTakes() throws {
        var cluster = try shared()
        cluster.core.log.appendBytesMax = 300
        for peer in UInt8(50)..<54 { cluster.invalidate(.none, from: peer) }
        cluster.tick(at: 10.1)
        try cluster.finishAppend()
        cluster.tick(at: 10.15)
        #expect((1...3).contains(cluster.replies.count))
        for tenth in 2...6 {
            cluster.tick(at: 10 + Double(tenth) / 10)
            if cluster.core.appender.isAppending { try cluster.finishAppend() }
        }
        #expect(Set(cluster.replies.map(\.peer)) == [50, 51, 52, 53])
    }

    @Test func whatAnUnknownAppendHadMayHaveBeenInvalidated() throws {
        var cluster = try shared()
        cluster.invalidate(.none, from: 50)
        cluster.tick(at: 10.1)
        try cluster.finishAppend(refusedBy: .unknown)
        let error = try cluster.hear(50, .error) { try ErrorReply(decoding: $0) }
        #expect(error.message.contains("may have been invalidated"))
    }

    private func error(to peer: UInt8, in cluster: borrowing Cluster) throws -> ErrorReply {
        let reply = try #require(cluster.replies.last { $0.peer == peer })
        return try Cluster.decode(reply.frame) { try ErrorReply(decoding: $0) }
    }

    /// Its first client was answered at its deadline, its append is abandoned with the old epoch,
    /// and the store refuses the next one.
    @Test func aRepetitionAfterANewEpochIsNotCalledUndone() throws {
        var cluster = try shared()
        cluster.invalidate(.none, timeout: 200, operation: 8, from: 50)
        cluster.tick(at: 10.1)
        cluster.tick(at: 10.5)
        #expect(try error(to: 50, in: cluster).message.contains("may have been invalidated"))
        cluster.invalidate(.none, operation: 8, from: 51)
        cluster.invalidate(.none, operation: 9, from: 52)
        cluster.core.openEpoch(behind: Epoch(7))
        cluster.tick(at: 10.6)
        try cluster.finishAppend(refusedBy: .superseded)
        #expect(try error(to: 51, in: cluster).message.contains("may have been invalidated"))
        #expect(try error(to: 52, in: cluster).message.contains("nothing was invalidated"))
        cluster.invalidate(.none, operation: 8, from: 53)
        cluster.tick(at: 10.7)
        handOver(&cluster)
        #expect(try answer(&cluster, to: 53).mayHaveHappened)
    }

    @Test func anEpochThatOnlyAnotherPublisherSawIsNotUsedAgain() throws {
        var cluster = try shared()
        let head = cluster.core.log.head
        cluster.core.openEpoch(behind: Epoch(7))
        #expect(cluster.core.log.head.position.epoch == Epoch(8))
        #expect(head.position.epoch < Epoch(7))
    }

    @Test func aMarkThatTheLogHasOpensNoEpoch() throws {
        var cluster = try shared()
        let head = cluster.core.log.head
        cluster.core.heardOfLoss(head, of: cluster.core.log.id)
        #expect(cluster.core.log.head == head)
        var ahead = head
        ahead.position.sequence = SequenceNumber(head.position.sequence.rawValue + 5)
        cluster.core.heardOfLoss(ahead, of: cluster.core.log.id)
        #expect(cluster.core.log.head.position.epoch == head.position.epoch.next)
    }

    @Test func moreOperationsThanCanBeRememberedHaveNoRoomForAWhile() {
        var budget = OperationBudget(recalled: 0, now: .seconds(0))
        budget.note(InvalidationLimits.sharedOperationsMax, at: .seconds(1))
        #expect(!budget.hasRoom(at: .seconds(30)))
        #expect(budget.hasRoom(at: .seconds(33)))
    }
}
