import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

@Suite struct PublishingCoreInvalidationTests {
    /// No epoch comes after it, and no number.
    @Test func theLastNumberOfTheLastEpochIsRefused() throws {
        var kept = MemoryLog(id: Cluster.freshID, decode: SealedRecord.kept)
        let last = LogPosition(
            epoch: Epoch(.max), sequence: SequenceNumber(SequenceNumber.max.rawValue - 1))
        kept.continueHistory(
            of: Cluster.freshID, from: LogMark(position: last, digest: LogDigest(7)))
        var cluster = Cluster(nodes: 1, log: kept)
        cluster.invalidate(.none, from: 90)
        cluster.invalidate(.none, from: 91)
        cluster.tick(at: 0.1)
        #expect(try cluster.recordsSent.map(\.position.sequence) == [.max])
        #expect(cluster.replies.map(\.peer) == [91, 90])
        #expect(try cluster.error(to: 91).knownCode == .unavailable)
        cluster.invalidate(.none, from: 92)
        cluster.tick(at: 0.2)
        #expect(try cluster.error(to: 92).knownCode == .unavailable)
    }

    @Test func allIsCompleteOnceEveryNodeHasApplied() throws {
        var cluster = try Cluster.live()
        cluster.invalidate(.all)
        // Nothing is appended before the turn ends.
        #expect(cluster.core.log.head.position == .at(0))
        cluster.tick()
        #expect(cluster.order == [.records])
        let record = try #require(try cluster.recordsSent.first)
        #expect(record.position == .at(1) && record.record.previousDigest.rawValue == 0xF0)
        cluster.forget()
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(cluster.replies.isEmpty)
            cluster.second += 0.001
            cluster.ack(number, at: record.mark)
            cluster.tick()
        }
        let receipt = try cluster.receipt()
        #expect(receipt.isComplete && receipt.position == .at(1) && receipt.wait == .all)
        #expect(receipt.applied.map(\.node.name) == ["n1", "n2", "n3"])
        #expect(receipt.applied.map(\.elapsed) == [1, 2, 3].map { .milliseconds($0) })
        #expect(receipt.expired.isEmpty && receipt.pending.isEmpty)
        #expect(receipt.nearCacheMilliseconds == 3_000)
    }

    @Test func quorumIsCompleteOnceAMajorityHasApplied() throws {
        var cluster = try Cluster.live()
        cluster.invalidate(.quorum)
        cluster.tick()
        cluster.forget()
        cluster.ack(2, at: cluster.core.log.head)
        cluster.tick()
        #expect(cluster.replies.isEmpty)
        cluster.ack(3, at: cluster.core.log.head)
        cluster.tick()
        let receipt = try cluster.receipt()
        #expect(receipt.isComplete && receipt.wait == .quorum)
        #expect(receipt.applied.map(\.node.name) == ["n2", "n3"])
        #expect(receipt.pending.map(\.name) == ["n1"])
    }

    @Test func noneIsAnsweredInTheSameTurnAndAfterTheBroadcast() throws {
        var cluster = try Cluster.live()
        cluster.invalidate(.none, timeout: 0)
        cluster.tick()
        #expect(cluster.order == [.records, .receipt])
        #expect(try cluster.receipt().isComplete)
    }

    @Test func aStoppedNodeIsPendingUntilItsGrantExpires() throws {
        var cluster = try Cluster.live()
        cluster.invalidate(.all, timeout: 1_000, from: 90)
        cluster.invalidate(.all, timeout: 60_000, from: 91)
        cluster.tick()
        let head = cluster.core.log.head
        cluster.ack(1, at: head)
        cluster.ack(2, at: head)
        cluster.tick(at: 10.999)
        cluster.forget()
        cluster.tick(at: 11)
        #expect(cluster.replies.map(\.peer) == [90])
        let early = try cluster.receipt(to: 90)
        #expect(!early.isComplete && early.pending.map(\.name) == ["n3"])
        #expect(early.applied.count == 2 && early.expired.isEmpty)
        // The lease of 3 s is counted for 3.03 s.
        cluster.tick(at: 13.029)
        #expect(cluster.replies.isEmpty)
        #expect(cluster.core.nextDeadline <= .seconds(Cluster.start + 13.03))
        cluster.tick(at: 13.03)
        let late = try cluster.receipt(to: 91)
        #expect(late.isComplete && late.position == .at(2) && late.pending.isEmpty)
        #expect(late.expired.map(\.node.name).contains("n3"))
    }

    @Test func aNodeThatSaysGoodbyeIsExpiredAtOnce() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.invalidate()
        cluster.tick()
        cluster.ack(1, at: cluster.core.log.head)
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        cluster.tick()
        let receipt = try cluster.receipt()
        #expect(receipt.isComplete && receipt.expired.map(\.node.name) == ["n2"])
    }

    @Test func aPausedRunIsOwedBesideTheNewRunOfItsNode() throws {
        var cluster = try Cluster.live(nodes: 1)
        try cluster.hello(1, incarnation: 50)
        _ = try cluster.ping(1, incarnation: 50, at: cluster.core.log.head)
        cluster.invalidate(timeout: 60_000)
        cluster.tick()
        let head = cluster.core.log.head
        cluster.forget()
        cluster.ack(1, incarnation: 50, at: head)
        cluster.tick()
        #expect(cluster.replies.isEmpty)
        cluster.second = 12
        _ = try cluster.ping(1, incarnation: 50, at: head)
        cluster.tick(at: 13.03)
        let receipt = try cluster.receipt()
        #expect(receipt.isComplete && receipt.applied.map(\.node.name) == ["n1"])
    }

    @Test func aRepeatedOperationIsAnsweredWithItsFirstPositionAndDoneOnce() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.invalidate(.none, operation: 7, from: 90)
        cluster.invalidate(.none, operation: 7, from: 91)
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(1))
        cluster.forget()
        cluster.invalidate(.all, timeout: 500, operation: 7, from: 92)
        cluster.tick()
        // Waited for anew: the node has not applied it.
        #expect(cluster.replies.isEmpty)
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick()
        let receipt = try cluster.receipt(to: 92)
        #expect(receipt.position == .at(1) && receipt.isComplete && receipt.applied.count == 1)
        #expect(cluster.core.statistics.repetitions == 2)
        #expect(cluster.core.statistics.records == 1)
    }

    @Test func aTurnIsOneAppendAndOneBroadcast() throws {
        var cluster = try Cluster.live(nodes: 1)
        for _ in 0..<200 { cluster.invalidate(.none) }
        cluster.tick()
        #expect(cluster.order.filter { $0 == .records }.count == 1)
        #expect(cluster.order.first == .records)
        #expect(try cluster.recordsSent.map(\.position.sequence.rawValue) == Array(1...200))
        #expect(cluster.core.statistics.appends == 1)
    }

    @Test func aBroadcastIsCutIntoFramesOfABoundedSize() throws {
        var cluster = try Cluster.live(nodes: 1)
        let key = try #require(CacheKey(bytes: Array(repeating: 1, count: 4_000)))
        let scopes = Array(repeating: Scope(.key(key, in: .default)), count: 15)
        for _ in 0..<10 { cluster.invalidate(.none, scopes: scopes) }
        cluster.tick()
        let sizes = cluster.broadcasts.map(\.count)
        #expect(sizes.count > 2 && sizes.allSatisfy { $0 <= PublisherLimits.broadcastBytesMax })
        #expect(try cluster.recordsSent.count == 10)
    }

    @Test func oneThatCannotBeEncodedIsRefusedAndTakesNoNumber() throws {
        var cluster = try Cluster.live(nodes: 1)
        let key = try #require(CacheKey(bytes: Array(repeating: 1, count: 4_000)))
        let scopes = Array(repeating: Scope(.key(key, in: .default)), count: 17)
        cluster.invalidate(.none, from: 90, scopes: scopes)
        cluster.invalidate(.none, from: 91)
        cluster.tick()
        #expect(try cluster.recordsSent.map(\.position) == [.at(1)])
        let error = try cluster.error(to: 90)
        #expect(error.knownCode == .outOfRange && error.message.contains("65536"))
    }

    @Test func beyondTheBoundItIsBusyAndNothingIsDone() throws {
        var cluster = try Cluster.live(nodes: 1)
        for _ in 0..<InvalidationLimits.waitsMax { cluster.invalidate(.all) }
        cluster.tick()
        cluster.forget()
        cluster.invalidate(.all, from: 91)
        let error = try cluster.error(to: 91)
        #expect(error.knownCode == .busy && error.message.contains("nothing was invalidated"))
        cluster.tick()
        #expect(
            cluster.core.log.head.position.sequence.rawValue == UInt64(InvalidationLimits.waitsMax))
    }

    @Test func theAskersOwnDeadlineEndsTheWaitEarlier() throws {
        var cluster = try Cluster.live(nodes: 1)
        let frame = Cluster.bytes { writer in
            var message = MessageWriter(.invalidate, requestID: 9, into: &writer)
            message.field(MessageFields.ID.deadline, UInt32(200), into: &writer)
            writer.append([2, 0, 0, 0, 0x88, 0x13, 0, 0] as [UInt8])
            Scope(.everything).encode(into: &writer)
            message.finish(&writer, count: 1)
        }
        cluster.send(frame, from: 90)
        cluster.tick()
        cluster.forget()
        cluster.tick(at: 10.2)
        #expect(try cluster.receipt().isComplete == false)
    }

    @Test func whenItStopsEverybodyIsTold() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.invalidate(.all, from: 90)
        cluster.tick()
        cluster.invalidate(.all, from: 91)
        cluster.forget()
        var actions: [PublisherAction] = []
        cluster.core.stop(into: &actions)
        cluster.take(actions)
        #expect(cluster.order == [.error, .receipt])
        #expect(cluster.replies.map(\.peer) == [91, 90])
        let error = try Cluster.decode(cluster.replies[0].frame) {
            try ErrorReply(decoding: $0)
        }
        #expect(try cluster.receipt(to: 90).pending.map(\.name) == ["n1"])
        #expect(error.knownCode == .busy && error.retryAfterMilliseconds != nil)
        #expect(error.message.contains("nothing was invalidated, try again"))
    }

    /// Who asks then asks the next publisher; a node that were welcomed would be known to nobody.
    @Test func whatComesAfterItStoppedIsSentBackOrNotHeard() throws {
        var cluster = try Cluster.live(nodes: 1)
        var actions: [PublisherAction] = []
        cluster.core.stop(into: &actions)
        cluster.take(actions)
        cluster.forget()
        try cluster.hello(1)
        cluster.sendPing(1, at: .none)
        #expect(cluster.order.isEmpty)
        cluster.invalidate(.none, from: 92)
        #expect(cluster.order == [.error])
        #expect(try cluster.error(to: 92).knownCode == .busy)
        #expect(cluster.core.log.head.position.sequence == .none)
    }
}
