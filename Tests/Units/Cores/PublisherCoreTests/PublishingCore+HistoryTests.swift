import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// A publisher whose log was in memory starts again: docs/decisions/0004.
@Suite struct PublishingCoreHistoryTests {
    private let old = LogID(0xAA)

    /// Replicated: to say who the members are a publisher of a sharded one appends two records.
    private static func restarted(nodes: Int) -> Cluster {
        Cluster(nodes: nodes) { $0.kind = .replicated }
    }

    @Test func aNewClusterBeginsANewLogOnceAllNodesRegister() throws {
        var cluster = Self.restarted(nodes: 2)
        cluster.tick()
        try cluster.hello(1)
        try cluster.hello(1)
        cluster.tick(at: 0.1)
        // Neither a welcome nor a heartbeat before it is decided where the log stands.
        #expect(cluster.order.isEmpty)
        try cluster.hello(2)
        cluster.tick(at: 0.2)
        #expect(cluster.order == [.welcome, .welcome, .heartbeat])
        #expect(cluster.core.log.id == Cluster.freshID)
        let welcome = try cluster.hear(1, .welcome) { try Welcome(decoding: $0) }
        #expect(welcome.head == .at(0, digest: 0xF0) && welcome.tail == SequenceNumber(1))
        #expect(welcome.leaseMilliseconds == 3_000 && welcome.heartbeatMilliseconds == 500)
        #expect(welcome.liveEndpoint == "tcp://127.0.0.1:7401")
    }

    @Test func itContinuesTheLogOfItsNodesAndNothingIsHidden() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(500))
        try cluster.hello(2, log: old, at: .at(500))
        cluster.tick(at: 0.1)
        #expect(cluster.core.log.id == old && cluster.core.log.head == .at(500))
        #expect(try cluster.heartbeats.map(\.head) == [.at(500)])
        #expect(try cluster.ping(1, at: .at(500)).leaseMilliseconds == 3_000)
        cluster.resume(2, log: old, after: .at(500))
        let replay = try cluster.hear(2, .replay) { try RecordRun(decoding: $0) }
        #expect(replay.records.isEmpty && replay.head == .at(500))
        cluster.invalidate(.none)
        cluster.tick(at: 0.2)
        let record = try #require(try cluster.recordsSent.first)
        #expect(record.position == .at(501) && record.record.previousDigest == LogDigest(500_000))
    }

    @Test func aNodeThatLagsBehindTheOthersIsTruncated() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(490))
        try cluster.hello(2, log: old, at: .at(500))
        cluster.tick()
        cluster.resume(1, log: old, after: .at(490))
        let truncated = try cluster.hear(1, .truncated) { try Truncated(decoding: $0.body) }
        #expect(truncated.head == .at(500) && truncated.tail == SequenceNumber(501))
        #expect(truncated.log == old)
        #expect(try cluster.ping(1, at: .at(490)).leaseMilliseconds == 0)
        #expect(try cluster.ping(1, at: .at(500)).leaseMilliseconds == 3_000)
    }

    /// Its node is gone; that the log reached there is still so, and the others must hear of it.
    @Test func aMarkIsNotForgottenBecauseItsNodeSaysGoodbye() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(500))
        let bye = Bye(incarnation: Incarnation(1))
        cluster.send(from: 1) { bye.encode(requestID: 0, into: &$0) }
        try cluster.hello(2, log: old, at: .at(490))
        cluster.tick()
        #expect(cluster.core.log.head == .at(500))
        cluster.resume(2, log: old, after: .at(490))
        #expect(cluster.order.last == .truncated)
    }

    /// Its new run has no place in a log. n2 was cut off and missed ten records.
    @Test func theLogPositionIsKeptAcrossACleanNodeRestart() throws {
        var cluster = Self.restarted(nodes: 2)
        cluster.core.setCluster(kept: nil, fresh: ClusterID(0xF))
        try cluster.hello(1, of: ClusterID(0xA), log: old, at: .at(100, epoch: 5))
        let bye = Bye(incarnation: Incarnation(1))
        cluster.send(from: 1) { bye.encode(requestID: 0, into: &$0) }
        try cluster.hello(1, incarnation: 9)
        try cluster.hello(2, of: ClusterID(0xA), log: old, at: .at(90, epoch: 5))
        cluster.tick()
        #expect(cluster.core.log.head == .at(100, epoch: 5))
        cluster.resume(2, log: old, after: .at(90, epoch: 5))
        #expect(cluster.order.last == .truncated)
    }

    @Test func ofTwoLogsTheMoreAdvancedOneIsContinued() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: LogID(0xBB), at: .at(300))
        try cluster.hello(2, log: old, at: .at(500))
        cluster.tick()
        #expect(cluster.core.log.id == old)
        cluster.resume(1, log: LogID(0xBB), after: .at(300))
        #expect(cluster.order.last == .truncated)
        #expect(cluster.core.log.head == .at(500))
        #expect(cluster.core.statistics.historiesContinued == 1)
    }

    @Test func oneThatIsDownIsWaitedForOneLeaseAndNoLonger() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(500))
        cluster.invalidate(.all, timeout: 10_000)
        cluster.tick(at: 3.029)
        #expect(cluster.order.isEmpty)
        #expect(cluster.core.nextDeadline == .seconds(Cluster.start + 3.03))
        cluster.tick(at: 3.03)
        #expect(cluster.order == [.welcome, .records, .receipt, .heartbeat])
        // Every lease of the publisher before is over, and none was granted since.
        let receipt = try cluster.receipt()
        #expect(receipt.position == .at(501) && receipt.expired.map(\.node.name) == ["n1", "n2"])
    }

    @Test func whatIsInvalidatedMeanwhileWaitsWithinItsTime() throws {
        var cluster = Self.restarted(nodes: 2)
        cluster.invalidate(.none, timeout: 1_000, from: 90)
        cluster.tick(at: 0.999)
        #expect(cluster.order.isEmpty)
        #expect(cluster.core.nextDeadline <= .seconds(Cluster.start + 1))
        cluster.tick(at: 1)
        let error = try cluster.error(to: 90)
        #expect(error.knownCode == .busy && error.message.contains("nothing was invalidated"))
        #expect(error.retryAfterMilliseconds == nil || error.retryAfterMilliseconds == 100)
    }

    @Test func leasesOfThePublisherBeforeAreWaitedFor() throws {
        var cluster = Self.restarted(nodes: 1)
        try cluster.hello(1, log: old, at: .at(500))
        cluster.invalidate(.all, timeout: 60_000)
        cluster.tick(at: 0.1)
        #expect(cluster.order == [.welcome, .records, .heartbeat])
        cluster.forget()
        cluster.tick(at: 3.03)
        #expect(try cluster.receipt().expired.map(\.node.name) == ["n1"])
    }

    @Test func aPublisherWithoutAppendsAdoptsTheMostAdvancedPosition() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(500))
        cluster.tick(at: 3.03)
        try cluster.hello(2, log: old, at: .at(510))
        #expect(cluster.core.log.head == .at(510))
        #expect(cluster.core.statistics.epochsOpened == 0)
        #expect(try cluster.ping(1, at: .at(500)).leaseMilliseconds == 0)
    }

    @Test func afterAnAppendANodeAheadOpensALaterEpoch() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(500))
        cluster.tick(at: 3.03)
        cluster.invalidate(.none)
        cluster.tick(at: 3.1)
        cluster.forget()
        try cluster.hello(2, log: old, at: .at(510, epoch: 3))
        cluster.tick(at: 3.2)
        #expect(cluster.core.log.head == .at(0, epoch: 4, digest: 0xAA))
        #expect(try cluster.heartbeats.last?.head == .at(0, epoch: 4, digest: 0xAA))
        // Said again, it changes nothing more.
        cluster.sendPing(2, at: .at(510, epoch: 3))
        cluster.resume(2, log: old, after: .at(510, epoch: 3))
        #expect(cluster.order.last == .truncated)
        #expect(cluster.core.statistics.epochsOpened == 1)
        cluster.forget()
        cluster.invalidate(.none)
        cluster.tick(at: 3.3)
        #expect(try cluster.recordsSent.map(\.position) == [.at(1, epoch: 4)])
    }

    /// Each epoch hides everything on every node, and a node can tell only so many apart.
    @Test func epochsOpenedForANodeAheadAreRateLimited() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.invalidate(.none)
        cluster.tick()
        func claim() throws -> UInt64 {
            for _ in 0..<1_000 {
                let ahead = LogMark.at(5, epoch: cluster.core.log.head.position.epoch.rawValue)
                #expect(try cluster.ping(1, at: ahead).leaseMilliseconds == 0)
            }
            return cluster.core.statistics.epochsOpened
        }
        #expect(try claim() == 256)
        cluster.second += 59
        #expect(try claim() == 256)
        cluster.second += 2
        #expect(try claim() == 257)
        #expect(try cluster.ping(2, at: cluster.core.log.head).leaseMilliseconds == 3_000)
    }

    /// The same before anything was appended to a log in memory, where it goes on from the claim.
    @Test func claimedEpochsMoveTheLogAtALimitedRate() throws {
        var cluster = Self.restarted(nodes: 2)
        try cluster.hello(1, log: old, at: .at(500))
        try cluster.hello(2, log: old, at: .at(500))
        cluster.tick(at: 1)
        func claim() throws -> UInt32 {
            for _ in 0..<1_000 {
                let epoch = cluster.core.log.head.position.epoch.rawValue + 1
                _ = try cluster.ping(1, at: .at(5, epoch: epoch))
            }
            return cluster.core.log.head.position.epoch.rawValue
        }
        #expect(try claim() == 257)
        cluster.second += 59
        #expect(try claim() == 257)
        cluster.second += 2
        #expect(try claim() == 258)
        #expect(try cluster.ping(2, at: cluster.core.log.head).leaseMilliseconds == 3_000)
    }

    @Test func anotherRecordAtTheSamePlaceMakesItOpenAGreaterEpoch() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.invalidate(.none)
        cluster.invalidate(.none)
        cluster.tick()
        #expect(try cluster.ping(1, at: .at(1, digest: 1)).leaseMilliseconds == 0)
        #expect(cluster.core.log.head == .at(0, epoch: 2, digest: 0xF0))
    }

    @Test func aNodeBehindInAnotherLogOpensNoEpoch() throws {
        var cluster = try Cluster.live(nodes: 2)
        for _ in 0..<20 { cluster.invalidate(.none) }
        cluster.tick()
        let head = cluster.core.log.head
        try cluster.hello(2, incarnation: 60, log: LogID(0xBB), at: .at(7, digest: 7))
        cluster.forget()
        cluster.resume(2, incarnation: 60, log: LogID(0xBB), after: .at(7, digest: 7))
        #expect(cluster.order == [.truncated])
        #expect(cluster.core.log.head == head)
        #expect(cluster.core.statistics.epochsOpened == 0)
    }

    @Test func aWildEpochIsRefusedSoThatTheyAreNotUsedUp() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.invalidate(.none)
        cluster.tick()
        for epoch: UInt32 in [.max, 1 << 31 + 1] {
            cluster.forget()
            try cluster.hello(1, log: old, at: .at(1, epoch: epoch))
            #expect(try cluster.error(to: 1).knownCode == .outOfRange)
            cluster.sendPing(1, at: .at(1, epoch: epoch))
            #expect(try cluster.error(to: 1).knownCode == .outOfRange)
            cluster.ack(1, at: .at(1, epoch: epoch))
        }
        #expect(cluster.core.log.head.position == .at(1))
    }

    @Test func aHelloAtTheLastSequenceNumberIsRefused() throws {
        var cluster = Self.restarted(nodes: 1)
        try cluster.hello(1, log: old, at: .at(1 << 48 - 1, digest: 3))
        #expect(try cluster.error(to: 1).knownCode == .outOfRange)
        cluster.tick(at: 3.1)
        cluster.resume(observer: 7, requestID: 4)
        cluster.invalidate(.none)
        cluster.tick(at: 3.2)
        #expect(cluster.core.log.head.position == .at(1))
    }

    @Test func aResumeAtTheLastSequenceNumberReturnsNoRecords() throws {
        var cluster = Self.restarted(nodes: 1)
        try cluster.hello(1, log: old, at: .at(1 << 48 - 2, digest: 3))
        cluster.invalidate(.none)
        cluster.tick()
        let last = cluster.core.log.head
        #expect(last.position == .at(1 << 48 - 1))
        #expect(try cluster.ping(1, at: last).leaseMilliseconds == 3_000)
        cluster.resume(1, log: old, after: last)
        let replay = try cluster.hear(1, .replay) { try RecordRun(decoding: $0) }
        #expect(replay.records.isEmpty && replay.head == last)
    }

    @Test func whenTheNumbersOfAnEpochRunOutTheNextOneBegins() throws {
        var cluster = Self.restarted(nodes: 1)
        try cluster.hello(1, log: old, at: .at(1 << 48 - 2, digest: 3))
        cluster.invalidate(.none)
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(1 << 48 - 1))
        cluster.invalidate(.none)
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(1, epoch: 2))
    }

    @Test func aPublisherThatKeptItsLogAppendsWithoutWaitingForNodes() throws {
        var log = MemoryLog(id: old, decode: SealedRecord.kept)
        log.continueHistory(of: old, from: .at(500))
        var cluster = Cluster(nodes: 2, log: log)
        cluster.invalidate(.all, timeout: 60_000)
        cluster.tick()
        #expect(cluster.order == [.records, .heartbeat])
        // Nodes that were not heard of count as leased.
        cluster.forget()
        try cluster.hello(1, log: old, at: .at(500))
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick(at: 1)
        #expect(!cluster.order.contains(.receipt))
        cluster.tick(at: 3.03)
        let receipt = try cluster.receipt()
        #expect(receipt.applied.map(\.node.name) == ["n1"])
        #expect(receipt.expired.map(\.node.name) == ["n2"])
        // Its tail was lost if a node is ahead: that is never simply continued.
        var other = Cluster(nodes: 2, log: log)
        other.tick()
        try other.hello(1, log: old, at: .at(501))
        #expect(other.core.log.head.position == .at(0, epoch: 2))
    }
}
