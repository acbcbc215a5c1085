import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// What waits for the proof that this publisher leads: docs/decisions/0118.
@Suite struct PublishingCoreConfirmationsTests {
    /// Three live nodes; from here on another publisher may lead the log.
    private func shared() throws -> Cluster {
        var cluster = try Cluster.live()
        cluster.core.log.isShared = true
        return cluster
    }

    private func types(_ cluster: inout Cluster, to peer: UInt8) -> [MessageType?] {
        cluster.hear(peer).map { MessageType(rawValue: $0[3]) }
    }

    @Test(arguments: [Ping.Purpose.lease, .head])
    func aPingIsAnsweredOnceItIsProvenThatThePublisherLed(purpose: Ping.Purpose) throws {
        var cluster = try shared()
        cluster.sendPing(1, at: cluster.core.log.head, purpose: purpose)
        cluster.tick(at: 10.1)
        #expect(types(&cluster, to: 1) == [])
        #expect(cluster.wanted == [1])
        cluster.confirm(1)
        let pong = try cluster.hear(1, .pong) { try Pong(decoding: $0) }
        #expect(pong.leaseMilliseconds == (purpose == .lease ? 3_000 : 0))
        #expect(pong.sentAt == 77)
    }

    @Test func aHelloIsAnsweredOnceItIsProvenThatThePublisherLed() throws {
        var cluster = try shared()
        try cluster.hello(2, incarnation: 12)
        cluster.tick(at: 10.1)
        #expect(types(&cluster, to: 2) == [])
        cluster.confirm(1)
        #expect(types(&cluster, to: 2) == [.welcome])
    }

    @Test func oneConfirmationServesAllThatCameBeforeItWasAskedForAndNoneThatCameLater() throws {
        var cluster = try shared()
        cluster.sendPing(1, at: cluster.core.log.head)
        cluster.sendPing(2, at: cluster.core.log.head)
        cluster.tick(at: 10.1)
        cluster.sendPing(3, at: cluster.core.log.head)
        cluster.tick(at: 10.2)
        #expect(cluster.wanted == [1, 2])
        cluster.confirm(1)
        #expect(cluster.order == [.pong, .pong])
        #expect(types(&cluster, to: 3) == [])
        cluster.confirm(2)
        #expect(types(&cluster, to: 3) == [.pong])
    }

    @Test func anOrderToStepDownIsAnsweredBeforeTheLeadershipIsGivenUp() throws {
        var cluster = try shared()
        cluster.send(from: 90) { StepDown().encode(requestID: 5, into: &$0) }
        #expect(types(&cluster, to: 90) == [.done])
        #expect(cluster.stepDownCount == 1)
    }

    @Test func theOnlyPublisherOfALogDoesNotStepDown() throws {
        var cluster = try Cluster.live()
        cluster.send(from: 90) { StepDown().encode(requestID: 5, into: &$0) }
        #expect(types(&cluster, to: 90) == [.error])
        #expect(cluster.stepDownCount == 0)
    }

    @Test func nothingIsAskedForWhereNothingWaits() throws {
        var cluster = try shared()
        cluster.tick(at: 10.1)
        cluster.invalidate(.none)
        cluster.tick(at: 10.2)
        #expect(cluster.wanted == [])
        #expect(cluster.order.contains(.receipt))
    }

    @Test func aLogThatIsNotSharedNeedsNoProof() throws {
        var cluster = try Cluster.live()
        cluster.sendPing(1, at: cluster.core.log.head)
        #expect(types(&cluster, to: 1) == [.pong])
        cluster.tick(at: 10.1)
        #expect(cluster.wanted == [])
    }

    @Test func ofTheSameQuestionOnlyTheNewestIsAnswered() throws {
        var cluster = try shared()
        for _ in 0..<3 { cluster.sendPing(1, at: cluster.core.log.head) }
        cluster.sendPing(1, at: cluster.core.log.head, purpose: .head)
        cluster.tick(at: 10.1)
        cluster.confirm(1)
        #expect(types(&cluster, to: 1) == [.pong, .pong])
    }

    @Test func aNodeThatRepeatsFasterThanConfirmationsComeIsAnswered() throws {
        var cluster = try shared()
        var answers = 0
        for step in 1...20 {
            cluster.sendPing(1, at: cluster.core.log.head)
            cluster.ack(1, at: cluster.core.log.head)
            cluster.tick(at: 10 + Double(step) / 100)
            // Each confirmation comes after the next message.
            if step > 1 { cluster.confirm(UInt64(step - 1)) }
            answers += types(&cluster, to: 1).count { $0 == .pong }
        }
        #expect(answers >= 19)
        #expect(cluster.wanted == Array(1...20))
    }

    @Test func acknowledgementsAskForNoConfirmation() throws {
        var cluster = try shared()
        cluster.sendPing(1, at: cluster.core.log.head)
        cluster.tick(at: 10.1)
        for step in 0..<5 {
            cluster.ack(1, at: cluster.core.log.head)
            cluster.tick(at: 10.2 + Double(step) / 100)
        }
        #expect(cluster.wanted == [1])
        cluster.confirm(1)
        #expect(types(&cluster, to: 1) == [.pong])
    }

    @Test func anAcknowledgementDoesNotOvertakeAnEarlierPing() throws {
        var cluster = try shared()
        let before = cluster.core.log.head
        cluster.invalidate(.all)
        cluster.tick(at: 10.1)
        for number in 2...UInt8(3) { cluster.ack(number, at: cluster.core.log.head) }
        cluster.sendPing(1, at: before)
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick(at: 10.2)
        #expect(!cluster.order.contains(.receipt))
        cluster.confirm(1)
        cluster.tick(at: 10.3)
        #expect(try cluster.receipt().isComplete)
        // Its position is the later one.
        #expect(try cluster.confirmedPing(at: cluster.core.log.head, 2).leaseMilliseconds == 3_000)
    }

    @Test func aByeDoesNotOvertakeAnEarlierHello() throws {
        var cluster = try shared()
        try cluster.hello(2, incarnation: 12)
        cluster.send(from: 2) { Bye(incarnation: Incarnation(12)).encode(requestID: 0, into: &$0) }
        cluster.tick(at: 10.1)
        cluster.confirm(1)
        cluster.sendPing(2, incarnation: 12, at: cluster.core.log.head)
        cluster.tick(at: 10.2)
        cluster.forget()
        cluster.confirm(2)
        #expect(try cluster.error(to: 2).knownCode == .notRegistered)
    }

    @Test func anAcknowledgementThatFollowsNoPingIsTakenAtOnce() throws {
        var cluster = try shared()
        cluster.invalidate(.all)
        cluster.tick(at: 10.1)
        for number in 1...UInt8(3) { cluster.ack(number, at: cluster.core.log.head) }
        cluster.tick(at: 10.2)
        #expect(try cluster.receipt().isComplete)
        #expect(cluster.wanted == [])
    }

    @Test func aDamagedPingIsRefusedAtOnce() throws {
        var cluster = try shared()
        var frame = Cluster.bytes {
            Ping(
                incarnation: Incarnation(1), sentAt: 1, applied: .none, state: .live
            ).encode(requestID: 2, into: &$0)
        }
        frame.removeLast()
        cluster.send(frame, from: 1)
        #expect(types(&cluster, to: 1) == [.error])
    }

    @Test func theGrantOfALateConfirmationIsCountedFromThen() throws {
        var cluster = try shared()
        cluster.sendPing(1, at: cluster.core.log.head)
        cluster.tick(at: 10.1)
        cluster.second = 12
        cluster.confirm(1)
        #expect(try cluster.hear(1, .pong) { try Pong(decoding: $0) }.leaseMilliseconds == 3_000)
        // The grants of the others, from 10 s, are over; that of the first is not.
        cluster.tick(at: 14)
        cluster.invalidate(.all, timeout: 60_000)
        cluster.tick(at: 14.1)
        #expect(!cluster.order.contains(.receipt))
        cluster.tick(at: 15.2)
        let receipt = try cluster.receipt()
        #expect(receipt.isComplete && receipt.applied.isEmpty)
    }
}

extension Cluster {
    /// A PING of the first node, and its answer, once confirmation `number` is there.
    fileprivate mutating func confirmedPing(at mark: LogMark, _ number: UInt64) throws -> Pong {
        sendPing(1, at: mark)
        tick()
        confirm(number)
        return try hear(1, .pong) { try Pong(decoding: $0) }
    }
}
