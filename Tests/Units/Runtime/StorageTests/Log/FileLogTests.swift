import CacheInvalidation
import CacheModel
import Foundation
import Storage
import Testing
import Threading

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct FileLogTests {
    @Test func aLogGoesOnWhereItEndedAcrossManySegments() throws {
        let bench = try LogBench()
        var log = try bench.open()
        #expect(log.finding == .empty && log.head.position.epoch == Epoch(1))
        for count in 1...20 { try bench.append(count, to: &log) }
        let before = try LogBench.everything(in: log)
        #expect(before.count == 210)
        log.keeper.close()
        #expect(try bench.segments.count > 5)

        var again = try bench.open { $0.leaseMilliseconds = 9 }
        #expect(again.finding == .whole)
        #expect(again.head == log.head && again.id == log.id && again.tail == SequenceNumber(1))
        // Nothing is in memory now: this comes from the files.
        #expect(try LogBench.everything(in: again) == before)
        #expect(try LogBench.everything(in: again, limit: 1) == before)
        for record in before { #expect(again.standing(of: record.mark) == .ofTheLog) }
        #expect(again.digest(at: .none) == LogDigest(startOf: log.id))
        #expect(again.read(after: SequenceNumber(211), limit: 1) == nil)
        try bench.append(3, to: &again)
        #expect(again.head.position.sequence == SequenceNumber(213))
        #expect(try LogBench.everything(in: again).prefix(210) == before[...])
        again.keeper.close()
    }

    @Test func theHeadMovesOnlyOnceTheAppendHasEnded() throws {
        let bench = try LogBench()
        var log = try bench.open()
        let records = try LogBench.records(2, after: log.head)
        try log.append(records, expecting: log.head)
        guard case .ended(let outcome) = try bench.hear() else { return }
        #expect(log.head.position.sequence == .none)
        #expect(log.read(after: .none, limit: 5) == [])
        log.finish(outcome)
        #expect(log.head == records[1].mark)
        #expect(log.read(after: .none, limit: 5) == records)
        log.finish(outcome)
        #expect(log.head == records[1].mark)
        log.keeper.close()
    }

    @Test func whatIsAcknowledgedWasSynchronizedFirst() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(1, to: &log)
        bench.steps.withLock { $0 = [] }
        try bench.append(5, to: &log)
        #expect(bench.steps.withLock { $0 } == [.write, .synchronize])
        log.keeper.close()
    }

    @Test func aWeakerLogIsSynchronizedALittleLater() throws {
        let bench = try LogBench()
        var log = try bench.open { $0.sync = .interval }
        try bench.append(1, to: &log)
        bench.steps.withLock { $0 = [] }
        try bench.append(5, to: &log)
        let deadline = ContinuousClock.now + .seconds(20)
        while !bench.steps.withLock({ $0.contains(.synchronize) }), ContinuousClock.now < deadline {
            sched_yield()
        }
        #expect(bench.steps.withLock { $0 } == [.write, .synchronize])
        log.keeper.close()
    }

    @Test func aLogThatTheSystemSynchronizesIsStillProvenWhole() throws {
        let bench = try LogBench()
        var log = try bench.open { $0.sync = .none }
        for _ in 0..<30 { try bench.append(5, to: &log) }
        log.keeper.close()
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    @Test func aSecondPublisherIsRefused() throws {
        let bench = try LogBench()
        let log = try bench.open()
        #expect(throws: LogFileError.inUse(directory: bench.directory)) { try bench.open() }
        log.keeper.close()
    }

    @Test func aFileInsteadOfTheLogDirectoryIsRefusedWithARemedy() throws {
        let bench = try LogBench()
        try FileManager.default.createDirectory(
            atPath: bench.directory, withIntermediateDirectories: true)
        let file = bench.directory + "/log"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: LogFileError.self) {
            try FileLog(
                LogFilesOptions(
                    directory: file, retention: LogRetention(recordsMax: 1, bytesMax: 1)),
                freshID: LogID(7), tell: { _ in })
        }
        #expect(error?.description.contains("name one that does not exist yet") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("mine".utf8))
    }

    @Test func aLogDirectoryWithAMissingParentIsRefusedWithARemedy() throws {
        let bench = try LogBench()
        let error = #expect(throws: LogFileError.self) {
            try FileLog(
                LogFilesOptions(
                    directory: bench.directory + "/missing/log",
                    retention: LogRetention(recordsMax: 1, bytesMax: 1)),
                freshID: LogID(7), tell: { _ in })
        }
        #expect(error?.description.contains("create the directory that it is to lie in") == true)
    }

    @Test func otherFilesAreLeftAlone() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(4, to: &log)
        log.keeper.close()
        let foreign = ["notes.txt", "1-2.segment", "x.segment", "stamp.old", "notes.new", ".new"]
        for name in foreign {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: bench.path(name)))
        }
        let unfinished = ["0000000001-000000000000009.segment.new", "stamp.new", "cluster.new"]
        for name in unfinished {
            try Data("half".utf8).write(to: URL(fileURLWithPath: bench.path(name)))
        }
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: bench.directory)
        #expect(Set(left).isSuperset(of: foreign))
        #expect(Set(left).isDisjoint(with: unfinished))
    }

    @Test func theOldestSegmentsLeaveAndTheirRecordsAreNoLongerKept() throws {
        let bench = try LogBench()
        var log = try bench.open { $0.retention.bytesMax = 8 << 10 }
        var marks: [LogMark] = []
        for _ in 0..<60 {
            try bench.append(5, to: &log)
            marks.append(log.head)
        }
        log.keeper.close()
        var again = try bench.open { $0.retention.bytesMax = 8 << 10 }
        #expect(again.finding == .whole && again.tail > SequenceNumber(200))
        let kept = try LogBench.everything(in: again)
        #expect(kept.first?.position.sequence == again.tail && kept.last?.mark == log.head)
        #expect(again.read(after: SequenceNumber(again.tail.rawValue - 2), limit: 1) == nil)
        #expect(again.standing(of: marks[0]) == .beforeTail)
        let bytes = try bench.segments.reduce(0) {
            $0 + (try Data(contentsOf: URL(fileURLWithPath: bench.path($1))).count)
        }
        #expect(bytes < (8 << 10) + 2 * 2_048)
        try bench.append(1, to: &again)
        again.keeper.close()
    }

    @Test func aNewEpochLeavesTheOldOneBehind() throws {
        let bench = try LogBench()
        var log = try bench.open()
        for _ in 0..<30 { try bench.append(5, to: &log) }
        // One that is under way is left behind too.
        let records = try LogBench.records(1, after: log.head)
        guard case .underWay(let ticket) = try log.append(records, expecting: log.head) else {
            return
        }
        log.open(Epoch(5))
        // Nobody can have heard of it, and a crash would not forget it.
        #expect(try bench.segments == ["0000000005-000000000000000.segment"])
        let start = LogBench.start(of: log.id, epoch: 5)
        #expect(log.head == start && log.tail == SequenceNumber(1))
        #expect(log.read(after: .none, limit: 3) == [])
        log.finish(LogOutcome(ticket: ticket))
        #expect(log.head == start)
        #expect(try bench.hear() == .ended(LogOutcome(ticket: ticket)))
        try bench.append(2, to: &log)
        log.keeper.close()
        #expect(try bench.segments == ["0000000005-000000000000000.segment"])
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    /// Nobody may hear of it before: a crash would forget it, and another of the same number be
    /// opened.
    @Test(arguments: [LogFaults.Step.create, .write, .synchronize, .rename])
    func anEpochThatCannotBeginIsBegunOnceItCan(step: LogFaults.Step) throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(2, to: &log)
        let old = log.head
        #expect(log.isBegun)
        bench.fails.withLock { $0 = [step] }
        log.open(Epoch(5))
        #expect(!log.isBegun && log.head.position.epoch == Epoch(5))
        bench.fails.withLock { $0 = [] }
        let deadline = ContinuousClock.now + .seconds(20)
        while !log.isBegun, ContinuousClock.now < deadline { sched_yield() }
        #expect(log.isBegun && log.head.position > old.position)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    @Test func anEpochThatCouldNotBeginIsForgotten() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(2, to: &log)
        let old = log.head
        bench.fails.withLock { $0 = [.create] }
        log.open(Epoch(5))
        #expect(try bench.append(1, to: &log, tag: "lost").refusal != nil)
        #expect(!log.isBegun)
        log.keeper.close()
        bench.fails.withLock { $0 = [] }
        var again = try bench.open()
        #expect(again.finding == .whole && again.head == old && again.isBegun)
        bench.fails.withLock { $0 = [.create] }
        again.open(Epoch(5))
        bench.fails.withLock { $0 = [] }
        // An append does not wait for the next try.
        #expect(try bench.append(1, to: &again).refusal == nil)
        #expect(again.isBegun && again.head.position.epoch == Epoch(5))
        again.keeper.close()
    }

    @Test func anOperatorMayWantANewEpoch() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(5, to: &log)
        log.keeper.close()
        let again = try bench.open { $0.isNewEpochWanted = true }
        #expect(again.finding == .whole && again.id != log.id)
        #expect(again.head == LogBench.start(of: again.id, epoch: 2))
        again.keeper.close()
        let third = try bench.open()
        #expect(third.finding == .whole && third.head == again.head)
        third.keeper.close()
    }

    @Test func theLongestLeaseOutlivesTheProcess() throws {
        let bench = try LogBench()
        let log = try bench.open { $0.leaseMilliseconds = 3_000 }
        #expect(log.inheritedLease == nil, "nobody knows who was here before")
        log.keeper.note(leaseMilliseconds: 60_000)
        log.keeper.note(leaseMilliseconds: 5)
        log.keeper.close()
        let again = try bench.open { $0.leaseMilliseconds = 3_000 }
        #expect(again.inheritedLease == .seconds(60))
        again.keeper.close()
    }

    /// What a later publisher would not know of is not granted.
    @Test func aLongerLeaseIsKeptOnceTheStampTellsOfIt() throws {
        let bench = try LogBench()
        let first = try bench.open { $0.leaseMilliseconds = 3_000 }
        #expect(first.leaseKept == InvalidationLimits.leaseMax, "an earlier one is not known")
        first.keeper.close()
        // As if that had been long ago.
        try bench.change("stamp") { bytes in
            guard var stamp = bytes.withUnsafeBytes({ LogStamp($0) }) else { return }
            stamp.leaseMilliseconds = 3_000
            bytes = stamp.encoded
        }
        bench.fails.withLock { $0 = [.write] }
        var again = try bench.open { $0.leaseMilliseconds = 5_000 }
        again.keeper.note(leaseMilliseconds: 9_000)
        #expect(try bench.append(1, to: &again, tag: "lost").refusal != nil)
        #expect(again.leaseKept == .seconds(3))
        bench.fails.withLock { $0 = [] }
        #expect(try bench.append(1, to: &again).refusal == nil)
        #expect(again.leaseKept == .seconds(9))
        again.keeper.note(leaseMilliseconds: 20_000)
        let deadline = ContinuousClock.now + .seconds(20)
        while again.leaseKept != .seconds(20), ContinuousClock.now < deadline { sched_yield() }
        #expect(again.leaseKept == .seconds(20))
        again.keeper.close()
    }

    @Test func whatIsKeptOfPacingsIsThereInTheNextLife() throws {
        let bench = try LogBench()
        let log = try bench.open()
        #expect(log.pacings == nil)
        log.keeper.keep([1, 2, 3], as: .pacings)
        #expect(try bench.hearOfKeeping() == nil)
        log.keeper.keep([4], as: .pacings)
        #expect(try bench.hearOfKeeping() == nil)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.pacings == [4])
        bench.fault.withLock { $0 = (.rename, ENOSPC) }
        again.keeper.keep([5], as: .pacings)
        #expect(try bench.hearOfKeeping()?.isDiskFull == true)
        bench.fault.withLock { $0 = nil }
        again.keeper.close()
        let last = try bench.open()
        #expect(last.pacings == [4], "what could not be replaced is as it was")
        last.keeper.close()
    }

    @Test func whatIsKeptOfTheNodesIsThereInTheNextLife() throws {
        let bench = try LogBench()
        let log = try bench.open()
        #expect(log.nodes == nil)
        log.keeper.keep([1, 2, 3], as: .nodes)
        #expect(try bench.hearOfNodes() == .init(error: nil, isGone: false))
        log.keeper.keep([4], as: .nodes)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.nodes == [4] && again.pacings == nil)
        again.keeper.close()
    }

    /// What lies there must not be older than the truth.
    @Test(arguments: [LogFaults.Step.create, .write, .rename])
    func nodesThatCannotBeReplacedAreRemoved(step: LogFaults.Step) throws {
        let bench = try LogBench()
        let log = try bench.open()
        log.keeper.keep([4], as: .nodes)
        #expect(try bench.hearOfNodes().error == nil)
        bench.fault.withLock { $0 = (step, ENOSPC) }
        log.keeper.keep([5], as: .nodes)
        let news = try bench.hearOfNodes()
        #expect(news.error?.isDiskFull == true && news.isGone)
        bench.fault.withLock { $0 = nil }
        log.keeper.close()
        let again = try bench.open()
        #expect(again.nodes == nil)
        again.keeper.close()
    }

    @Test(arguments: [LogFaults.Step.synchronize, .remove])
    func nodesThatCannotBeRemovedForCertainAreSaidToBeThere(step: LogFaults.Step) throws {
        let bench = try LogBench()
        let log = try bench.open()
        log.keeper.keep([4], as: .nodes)
        #expect(try bench.hearOfNodes().error == nil)
        bench.fails.withLock { $0 = [.write, step] }
        log.keeper.keep([5], as: .nodes)
        let news = try bench.hearOfNodes()
        #expect(news.error?.isDiskFull == true && !news.isGone)
        bench.fails.withLock { $0 = [] }
        log.keeper.close()
    }

    @Test func nodesThatCannotBeReadDoNotKeepALogFromStarting() throws {
        let bench = try LogBench()
        try bench.open().keeper.close()
        try FileManager.default.createDirectory(
            atPath: bench.path("nodes"), withIntermediateDirectories: false)
        let log = try bench.open()
        #expect(log.nodes == [])
        log.keeper.close()
    }

    @Test func theClusterIdentitySurvivesARestartWithoutTheLog() throws {
        let bench = try LogBench()
        let log = try bench.open()
        #expect(log.cluster == nil)
        log.keeper.keep([1, 2, 3], as: .cluster)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.cluster == [1, 2, 3] && again.nodes == nil)
        again.keeper.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.path(""))
        where name != "cluster" {
            try FileManager.default.removeItem(atPath: bench.path(name))
        }
        let anew = try bench.open()
        #expect(anew.cluster == [1, 2, 3])
        anew.keeper.close()
    }
}
