import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

@Suite struct PublishingCoreControlTests {
    private func burst(_ count: Int, in cluster: inout Cluster) throws -> [SealedRecord] {
        for _ in 0..<count { cluster.invalidate(.none) }
        cluster.tick()
        defer { cluster.forget() }
        return try cluster.recordsSent
    }

    @Test func aNodeThatIsNotConfiguredIsToldWhatToDo() throws {
        var cluster = try Cluster.live(nodes: 1)
        try cluster.hello(9)
        let error = try cluster.error(to: 9)
        #expect(error.knownCode == .notRegistered && error.message.contains("n9"))
        #expect(error.message.contains("configuration"))
    }

    @Test func aNodeWithAnotherNumberOfShardsIsRefused() throws {
        var cluster = Cluster(nodes: 1) { $0.nodes[0].shards = 2 }
        try cluster.hello(1)
        let error = try cluster.error(to: 1)
        #expect(error.knownCode == .outOfRange && error.message.contains("has 1 shards"))
    }

    @Test func aRequestBeforeHelloIsRefusedAsNotRegistered() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.sendPing(1, incarnation: 55, at: .none)
        let error = try cluster.error(to: 1)
        #expect(error.knownCode == .notRegistered && error.message.contains("HELLO"))
        cluster.resume(1, incarnation: 55, after: .none)
        #expect(try cluster.error(to: 1).knownCode == .notRegistered)
        // An ACK and a BYE are not answered, whoever says them.
        cluster.ack(1, incarnation: 55, at: .none)
        cluster.send(from: 1) { Bye(incarnation: .none).encode(requestID: 0, into: &$0) }
        #expect(cluster.order.isEmpty)
    }

    @Test func aPongEchoesAndTellsTheHead() throws {
        var cluster = try Cluster.live(nodes: 1)
        let records = try burst(1, in: &cluster)
        let pong = try cluster.ping(1, at: records[0].mark)
        #expect(pong.sentAt == 77 && pong.log == Cluster.freshID)
        #expect(pong.head == records[0].mark && pong.leaseMilliseconds == 3_000)
        #expect(pong.versions.configRevision == 4)
    }

    @Test func aQuestionForTheHeadGrantsNothingAndTakesNothing() throws {
        var cluster = try Cluster.live(nodes: 1)
        let records = try burst(1, in: &cluster)
        for _ in 0..<4 {
            let pong = try cluster.ping(1, at: .none, purpose: .head)
            #expect(pong.head == records[0].mark && pong.leaseMilliseconds == 0)
        }
        #expect(
            try cluster.ping(1, at: records[0].mark).leaseMilliseconds == 3_000,
            "questions do not count as heads that it should have reached")
    }

    @Test func aLaggingNodeGetsNoLease() throws {
        var cluster = try Cluster.live(nodes: 1)
        func lease(_ cluster: inout Cluster, at mark: LogMark) throws -> UInt32 {
            cluster.second += 0.5
            return try cluster.ping(1, at: mark).leaseMilliseconds
        }
        let first = try burst(1, in: &cluster)[0].mark
        #expect(try lease(&cluster, at: first) == 3_000)
        let second = try burst(1, in: &cluster)[0].mark
        // It may not know yet of what it was told last, but of what it was told before that.
        var leases: [UInt32] = []
        for mark in [first, first, first, second] {
            leases.append(try lease(&cluster, at: mark))
        }
        #expect(leases == [3_000, 3_000, 0, 3_000])
    }

    @Test func aReplayBringsWhatIsMissingInChunksThatFit() throws {
        var cluster = try Cluster.live(nodes: 1)
        var records: [SealedRecord] = []
        for _ in 0..<3 { records += try burst(4_000, in: &cluster) }
        var mark = LogMark.at(0, digest: 0xF0)
        var received: [SealedRecord] = []
        while mark != cluster.core.log.head {
            cluster.resume(1, log: Cluster.freshID, after: mark)
            #expect(cluster.replies.allSatisfy { $0.frame.count <= PublisherLimits.replayBytesMax })
            let run = try cluster.hear(1, .replay) { try RecordRun(decoding: $0) }
            #expect(run.head == records.last?.mark && !run.records.isEmpty)
            received += run.records
            mark = try #require(received.last?.mark)
        }
        #expect(received == records)
        cluster.resume(1, after: records[9].mark, limit: 3)
        let run = try cluster.hear(1, .replay) { try RecordRun(decoding: $0) }
        #expect(run.records == Array(records[10..<13]))
    }

    @Test func aNodeThatAsksTheSameAgainIsAnsweredOnceATurn() throws {
        var cluster = try Cluster.live(nodes: 2)
        let records = try burst(5, in: &cluster)
        for _ in 0..<100 { cluster.resume(1, after: records[1].mark) }
        cluster.resume(1, after: records[2].mark)
        cluster.resume(2, after: records[1].mark)
        #expect(cluster.order == [.replay, .replay, .replay])
        cluster.tick()
        cluster.forget()
        cluster.resume(1, after: records[1].mark)
        #expect(cluster.order == [.replay])
    }

    @Test func concurrentReplaysAreSentInBoundedPartsPerTurn() throws {
        var cluster = try Cluster.live(nodes: 60)
        var records: [SealedRecord] = []
        for _ in 0..<3 { records += try burst(4_000, in: &cluster) }
        let start = LogMark.at(0, digest: 0xF0)
        // Each asks twice, as on a heartbeat, before its turn has come.
        for _ in 0..<2 {
            for number in 1...60 as ClosedRange<UInt8> { cluster.resume(number, after: start) }
        }
        var answered: [UInt8] = []
        var turns = 0
        while answered.count < 60 {
            let frames = cluster.replies.map(\.frame)
            #expect(frames.allSatisfy { $0[3] == MessageType.replay.rawValue })
            let room = PublisherLimits.replayTurnBytesMax + PublisherLimits.replayBytesMax
            #expect(frames.reduce(0) { $0 + $1.count } <= room + frames.count * 256)
            answered += cluster.replies.map(\.peer)
            cluster.forget()
            // Leases do not wait behind them.
            let pong = try cluster.ping(7, at: start)
            #expect(pong.head == records.last?.mark)
            cluster.forget()
            #expect(cluster.core.nextDeadline <= cluster.now || answered.count >= 60)
            cluster.tick()
            turns += 1
            try #require(turns < 60)
        }
        #expect(Set(answered).count == 60 && answered.count == 60 && turns > 5)
        #expect(cluster.core.statistics.replays == 60)
    }

    @Test func observersOfOneConnectionAreAnsweredEach() throws {
        var cluster = try Cluster.live(nodes: 1)
        for _ in 0..<3 { _ = try burst(4_000, in: &cluster) }
        for question in 1...20 as ClosedRange<UInt64> {
            cluster.resume(observer: 80, requestID: question)
        }
        for _ in 0..<20 { cluster.tick() }
        #expect(cluster.replies.filter { $0.frame[3] == MessageType.replay.rawValue }.count == 20)
    }

    @Test func whatIsNoLongerThereOrNotOfThisLogIsTruncated() throws {
        var log = MemoryLog(id: Cluster.freshID, recordsMax: 5, decode: SealedRecord.kept)
        log.continueHistory(of: Cluster.freshID, from: .at(0, digest: 0xF0))
        var cluster = Cluster(nodes: 1, log: log)
        try cluster.hello(1)
        let records = try burst(20, in: &cluster)
        let head = records[19].mark
        // Incarnation 0 is a mere observer's, whose marks prove nothing about the log.
        let wrong: [(LogID, LogMark)] = [
            (.none, records[10].mark), (LogID(0xBB), head), (.none, .at(20, digest: 1)),
            (.none, .at(21)), (.none, .at(20, epoch: 2)), (.none, .none),
            (.none, .at(2, digest: 0)),
        ]
        for (log, mark) in wrong {
            cluster.resume(80, incarnation: 0, log: log, after: mark)
            let truncated = try cluster.hear(80, .truncated) { try Truncated(decoding: $0.body) }
            #expect(truncated.head == head && truncated.tail == SequenceNumber(16))
        }
        cluster.resume(80, incarnation: 0, after: records[14].mark)
        #expect(try cluster.hear(80, .replay) { try RecordRun(decoding: $0) }.records.count == 5)
        #expect(cluster.core.log.head == head)
    }

    @Test func anObserverMayKnowAPositionWithoutItsDigest() throws {
        var cluster = try Cluster.live(nodes: 1)
        let records = try burst(5, in: &cluster)
        cluster.resume(80, incarnation: 0, after: .at(2, digest: 0))
        let run = try cluster.hear(80, .replay) { try RecordRun(decoding: $0) }
        #expect(run.records == Array(records[2...]))
        // And who knows nothing begins at the beginning.
        for mark in [LogMark.none, .at(0, digest: 0), .at(0, digest: 0xF0)] {
            cluster.resume(80, incarnation: 0, after: mark)
            let all = try cluster.hear(80, .replay) { try RecordRun(decoding: $0) }
            #expect(all.records == records)
        }
        // A node's mark is compared as it is.
        cluster.resume(1, after: .at(0, digest: 0))
        #expect(cluster.order == [.replay] && cluster.core.statistics.epochsOpened == 0)
    }
}
