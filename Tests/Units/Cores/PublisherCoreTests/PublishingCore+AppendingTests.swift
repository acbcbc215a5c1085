import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// A log that takes its time, and one that should have survived: docs/decisions/0019.
@Suite struct PublishingCoreAppendingTests {
    private let old = LogID(0xAA)

    private func slow(nodes: Int = 3) throws -> Cluster {
        var cluster = try Cluster.live(nodes: nodes)
        cluster.core.log.isSlow = true
        return cluster
    }

    @Test func aRecordIsNotAnnouncedBeforeItsAppendCompletes() throws {
        var cluster = try slow()
        cluster.invalidate(.none, timeout: 0)
        cluster.tick()
        #expect(cluster.order.isEmpty && cluster.core.log.head.position == .at(0))
        // Neither by a heartbeat nor by a lease.
        cluster.tick(at: 11)
        #expect(try cluster.heartbeats.map(\.head.position) == [.at(0)])
        #expect(try cluster.ping(1, at: cluster.core.log.head).head.position == .at(0))
        cluster.forget()
        try cluster.finishAppend()
        cluster.tick()
        #expect(cluster.order == [.records, .receipt])
        #expect(try cluster.receipt().position == .at(1))
    }

    /// A node gets its lease while an append that it has not seen is being written.
    @Test func aLeaseGrantedDuringAnAppendIsWaitedFor() throws {
        var cluster = Cluster(nodes: 1)
        try cluster.hello(1)
        cluster.tick()
        cluster.tick(at: 10)
        cluster.core.log.isSlow = true
        cluster.invalidate(.all)
        cluster.tick()
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        try cluster.finishAppend()
        cluster.tick()
        #expect(!cluster.order.contains(.receipt))
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick()
        #expect(try cluster.receipt().applied.count == 1)
    }

    @Test func whatArrivesDuringAnAppendIsTheNextOnes() throws {
        var cluster = try slow()
        cluster.invalidate(.none, from: 90)
        cluster.tick()
        for peer in 91...95 as ClosedRange<UInt8> { cluster.invalidate(.none, from: peer) }
        cluster.tick()
        #expect(cluster.core.log.ticket == LogTicket(1))
        try cluster.finishAppend()
        cluster.tick()
        #expect(cluster.core.log.ticket == LogTicket(2))
        try cluster.finishAppend()
        #expect(cluster.core.log.head.position == .at(6))
        #expect(try cluster.recordsSent.map(\.position.sequence.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(cluster.core.statistics.appends == 2)
    }

    @Test func aRepetitionDuringAnAppendIsAnsweredWithItsPosition() throws {
        var cluster = try slow()
        cluster.invalidate(.none, operation: 7, from: 90)
        cluster.tick()
        cluster.invalidate(.none, operation: 7, from: 91)
        cluster.tick()
        try cluster.finishAppend()
        cluster.tick()
        #expect(cluster.core.statistics.repetitions == 1 && cluster.core.statistics.records == 1)
        #expect(try cluster.receipt(to: 91).position == .at(1))
    }

    /// Whoever learns the name of somebody's operation must not be able to use it up.
    @Test func whatHasAKnownNameAndCoversSomethingElseIsDone() throws {
        var cluster = try Cluster.live()
        let (mine, yours) = (try #require(CacheKey("mine")), try #require(CacheKey("yours")))
        let scopes = [mine, yours].map { [Scope(.key($0, in: .default))] }
        for place in [1, 2, 1, 2] as [UInt64] {
            cluster.forget()
            cluster.invalidate(.none, operation: 7, scopes: scopes[Int(place) - 1])
            cluster.tick()
            #expect(try cluster.receipt().position == .at(place))
        }
        #expect(cluster.core.log.head.position == .at(2))
        // In one turn as well.
        cluster.invalidate(.none, operation: 8, from: 90, scopes: scopes[0])
        cluster.invalidate(.none, operation: 8, from: 91, scopes: scopes[1])
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(4))
    }

    @Test func anAppendThatFailsInvalidatesNothingAndTheNextMaySucceed() throws {
        var cluster = try slow()
        cluster.invalidate(.none, operation: 7)
        cluster.tick()
        try cluster.finishAppend(refusedBy: .storage("no room left"))
        let error = try cluster.error(to: 90)
        #expect(error.knownCode == .unavailable)
        #expect(error.message.contains("no room left; nothing was invalidated"))
        #expect(cluster.core.statistics.appendsRefused == 1)
        // Replay and leases go on.
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        cluster.invalidate(.none, operation: 7)
        cluster.tick()
        try cluster.finishAppend()
        cluster.tick()
        #expect(try cluster.receipt().position == .at(1))
    }

    @Test func whatHadBeenDoneIsNotRefusedWithAnAppendThatFails() throws {
        var cluster = try Cluster.live()
        cluster.invalidate(.none, operation: 7, from: 90)
        cluster.tick()
        cluster.core.log.isSlow = true
        cluster.invalidate(.none, operation: 7, from: 91)
        cluster.invalidate(.none, operation: 8, from: 92)
        cluster.tick()
        cluster.forget()
        try cluster.finishAppend(refusedBy: .storage("no room left"))
        cluster.tick()
        #expect(cluster.replies.map(\.peer).sorted() == [91, 92])
        #expect(try cluster.receipt(to: 91).position == .at(1))
    }

    @Test func anInvalidationBehindASlowAppendIsRefusedAtItsDeadline() throws {
        var cluster = try slow()
        cluster.invalidate(.none, timeout: 60_000, from: 90)
        cluster.tick()
        cluster.invalidate(.none, timeout: 1_000, from: 91)
        cluster.tick()
        #expect(cluster.core.nextDeadline <= .seconds(Cluster.start + 11))
        cluster.tick(at: 11.1)
        let error = try cluster.error(to: 91)
        #expect(error.knownCode == .busy && error.message.contains("still writing"))
        try cluster.finishAppend()
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(1))
    }

    /// Nobody has heard of what was being written, so it gets new numbers.
    @Test func anEpochThatBeginsDuringAnAppendNumbersItAnew() throws {
        var cluster = try slow()
        cluster.invalidate(.none, operation: 7)
        cluster.tick()
        cluster.ack(1, at: .at(0, epoch: 1, digest: 99))
        #expect(cluster.core.log.head.position == .at(0, epoch: 2))
        try cluster.finishAppend()
        #expect(cluster.core.log.head.position == .at(0, epoch: 2))
        #expect(try cluster.recordsSent.isEmpty)
        cluster.tick()
        #expect(cluster.core.log.ticket == LogTicket(2))
        try cluster.finishAppend()
        cluster.tick()
        #expect(try cluster.receipt().position == .at(1, epoch: 2))
        #expect(cluster.core.statistics.records == 1)
    }

    @Test func stoppingAnswersRequestsThatWaitForTheLog() throws {
        var cluster = try slow()
        cluster.invalidate(.none)
        cluster.tick()
        var actions: [PublisherAction] = []
        cluster.core.stop(into: &actions)
        cluster.take(actions)
        #expect(try cluster.error(to: 90).message.contains("may have been invalidated"))
    }

    // MARK: A log that should have survived

    @Test func aLogThatWasLostBeginsANewEpochBehindItsNodes() throws {
        var cluster = Cluster(nodes: 2, outlivesItsProcess: true)
        try cluster.hello(1, log: old, at: .at(500, epoch: 3))
        cluster.invalidate(.none, timeout: 60_000)
        cluster.tick()
        #expect(cluster.order.isEmpty)
        try cluster.hello(2, log: old, at: .at(490, epoch: 3))
        cluster.tick(at: 0.1)
        // Of another name: a node that is away may know an epoch 4 of the old one.
        #expect(cluster.core.log.id == Cluster.freshID)
        #expect(try cluster.recordsSent.map(\.position) == [.at(1, epoch: 4)])
        #expect(cluster.core.statistics.epochsOpened == 1)
        // A later one that knows more is never simply continued.
        cluster.ack(1, at: .at(3, epoch: 9))
        #expect(cluster.core.log.head.position == .at(0, epoch: 10))
    }

    /// After a crash the log would open an epoch of the same number, with other records.
    @Test func anEpochIsNotAnnouncedBeforeItIsPersisted() throws {
        var cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        cluster.core.log.isBeginningLate = true
        cluster.resume(observer: 92, requestID: 3)
        // A node is ahead.
        cluster.sendPing(1, at: .at(9))
        #expect(cluster.core.log.head.position == .at(0, epoch: 2))
        cluster.forget()
        cluster.sendPing(1, at: .at(9))
        cluster.sendPing(2, at: cluster.core.log.head)
        try cluster.hello(2, incarnation: 8)
        cluster.resume(1, after: .at(9))
        cluster.tick(at: 11)
        cluster.tick(at: 12)
        #expect(cluster.order.isEmpty && cluster.core.nextDeadline > cluster.now)
        cluster.resume(observer: 91, requestID: 4)
        #expect(try cluster.error(to: 91).code == ErrorCode.busy.rawValue)
        cluster.core.log.isBegun = true
        cluster.tick(at: 13)
        #expect(try cluster.heartbeats.map(\.head.position) == [.at(0, epoch: 2)])
        let welcome = try cluster.hear(2, .welcome) { try Welcome(decoding: $0) }
        #expect(welcome.head == cluster.core.log.head)
        #expect(try cluster.ping(2, at: welcome.head).head == welcome.head)
    }

    @Test func aLogThatBeginsAnewIsNotToldBeforeItIsKept() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true)
        cluster.core.log.isBeginningLate = true
        try cluster.hello(1)
        cluster.tick()
        cluster.tick(at: 1)
        #expect(cluster.core.log.hasHistory && cluster.order.isEmpty)
        cluster.core.log.isBegun = true
        cluster.tick(at: 2)
        #expect(cluster.order.contains(.welcome) && cluster.order.contains(.heartbeat))
    }

    @Test func aNewLogBeginsAtOneWhereNoNodeKnowsAny() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true)
        try cluster.hello(1)
        cluster.tick()
        #expect(cluster.core.log.head == .at(0, digest: 0xF0))
        #expect(cluster.core.statistics.epochsOpened == 0)
    }

    @Test func operationsAreRememberedAcrossARestart() throws {
        var before = try Cluster.live()
        for number in 1...5 as ClosedRange<UInt64> {
            before.invalidate(.none, operation: number)
            before.tick()
        }
        var kept = MemoryLog(id: before.core.log.id, decode: SealedRecord.kept)
        kept.continueHistory(of: before.core.log.id, from: .at(0, digest: 0xF0))
        let records = try #require(before.core.log.read(after: .none, limit: 9))
        try kept.append(records, expecting: kept.head)
        var after = Cluster(nodes: 3, log: kept, outlivesItsProcess: true)
        after.invalidate(.none, operation: 3)
        after.tick()
        #expect(try after.receipt().position == .at(3))
        #expect(after.core.statistics.records == 0)
    }

    @Test func theLeasesOfAnEarlierPublisherAreWaitedFor() throws {
        var kept = MemoryLog(id: old, decode: SealedRecord.kept)
        kept.continueHistory(of: old, from: .at(5))
        var cluster = Cluster(
            nodes: 1, log: kept, outlivesItsProcess: true, inheritedLease: .seconds(60))
        cluster.invalidate(.all, timeout: 100_000)
        cluster.tick()
        cluster.forget()
        cluster.tick(at: 60.5)
        #expect(!cluster.order.contains(.receipt))
        cluster.tick(at: 60.6)
        #expect(try cluster.receipt().expired.map(\.node.name) == ["n1"])
    }

    /// The earlier publisher granted longer leases, and told nobody: its log was in memory, or its
    /// directory was emptied. Where the log stands is decided without waiting for that.
    @Test(arguments: [false, true])
    func withoutAKnownGrantThePublisherWaitsForTheLongestLease(isOnDisk: Bool) throws {
        var cluster = Cluster(nodes: 2, outlivesItsProcess: isOnDisk, inheritedLease: nil)
        try cluster.hello(1)
        #expect(cluster.core.nextDeadline == .seconds(Cluster.start + 3.03))
        cluster.tick(at: 3.03)
        #expect(cluster.core.log.hasHistory)
        cluster.invalidate(.all, timeout: 100_000)
        cluster.tick(at: 4)
        cluster.ack(1, at: cluster.core.log.head)
        cluster.forget()
        cluster.tick(at: 60.5)
        #expect(!cluster.order.contains(.receipt), "n2 may call the old value fresh")
        cluster.tick(at: 60.6)
        #expect(try cluster.receipt().expired.map(\.node.name) == ["n2"])
    }

    /// A later publisher would take the shorter one for it.
    @Test func aLeaseIsGrantedOnlyAsLongAsTheLogTellsOf() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true) { $0.lease = .seconds(60) }
        cluster.core.log.leaseKept = .seconds(3)
        try cluster.hello(1)
        cluster.tick()
        let welcome = try cluster.hear(1, .welcome) { try Welcome(decoding: $0) }
        #expect(welcome.leaseMilliseconds == 3_000)
        #expect(try cluster.ping(1, at: welcome.head).leaseMilliseconds == 3_000)
        cluster.invalidate(.all, timeout: 100_000)
        cluster.tick(at: 1)
        cluster.forget()
        cluster.tick(at: 3.03)
        #expect(try cluster.receipt().expired.map(\.node.name) == ["n1"])
        cluster.core.log.leaseKept = .seconds(60)
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 60_000)
    }
}
