import ByteCoding
import CacheInvalidation
import CacheModel
import Foundation
import Storage
import Testing
import Threading

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What is noticed when something happened to the files between two runs.
@Suite struct LogOpeningTests {
    /// A closed log of 100 records in many segments.
    private func closedLog(_ bench: LogBench) throws -> FileLog {
        var log = try bench.open()
        for _ in 0..<20 { try bench.append(5, to: &log) }
        log.keeper.close()
        return log
    }

    /// Opens it again and expects a new epoch, under another name.
    private func expectNewEpoch(
        _ bench: LogBench, after log: FileLog, _ isExpected: (LogBreach) -> Bool
    ) throws {
        let again = try bench.open()
        guard case .broken(let breach) = again.finding else {
            Issue.record("\(again.finding)")
            return
        }
        #expect(isExpected(breach), "\(breach)")
        // A name of its own: nodes may know an epoch of that number from before it was set back.
        #expect(again.id != log.id && again.head == LogBench.start(of: again.id, epoch: 2))
        again.keeper.close()
        let third = try bench.open()
        #expect(third.finding == .whole && third.head == again.head)
        third.keeper.close()
    }

    /// It was set back to before an epoch that nodes know, and opens one of the same number: that
    /// must not pass for the one they know.
    @Test func twoEpochsOfOneNumberAreOfTwoLogs() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let first = try bench.open { $0.isNewEpochWanted = true }
        first.keeper.close()
        let second = try bench.open { $0.isNewEpochWanted = true }
        #expect(first.head.position.epoch == Epoch(2) && second.head.position.epoch == Epoch(3))
        #expect(Set([log.id, first.id, second.id]).count == 3)
        #expect(first.head.digest != LogDigest(startOf: log.id))
        second.keeper.close()
    }

    @Test func aProcessThatWasKilledLosesNothing() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        try bench.forgetTheEnd(openedAt: LogBench.start(of: log.id, epoch: 1))
        // What was reserved is still there.
        try bench.change(try #require(bench.segments.last)) {
            $0 += [UInt8](repeating: 0, count: 1_000)
        }
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    /// Written and not synchronized when the process was killed: nobody may hear of it before it
    /// is durable.
    @Test func whatIsFoundIsSynchronizedBeforeItIsTold() throws {
        let bench = try LogBench()
        _ = try closedLog(bench)
        bench.fault.withLock { $0 = (.synchronize, EIO) }
        #expect(throws: LogFileError.self) { try bench.open() }
        bench.fault.withLock { $0 = nil }
        bench.steps.withLock { $0 = [] }
        let again = try bench.open()
        again.keeper.close()
        #expect(bench.steps.withLock { $0.prefix(2) } == [.create, .synchronize])
    }

    /// A release before wrote it. Its last segment is left for one of the new format at the first
    /// append, and what it holds stays.
    @Test func aLogOfTheFirstFormatGoesOn() throws {
        let bench = try LogBench()
        var log = try bench.open { $0.segmentBytes = 64 << 10 }
        for _ in 0..<20 { try bench.append(5, to: &log) }
        let records = try LogBench.everything(in: log)
        log.keeper.close()
        try bench.change(try #require(bench.segments.last)) { bytes in
            guard let header = bytes.withUnsafeBytes({ SegmentHeader($0) }) else { return }
            var writer = ByteWriter()
            SegmentHeader(
                log: header.log, base: header.base, createdAt: header.createdAt, form: .unsalted
            ).encode(into: &writer)
            for record in records {
                SegmentFrame.encode(record, settled: .none, in: .unsalted, into: &writer)
            }
            bytes = writer.array
        }
        var again = try bench.open { $0.segmentBytes = 64 << 10 }
        #expect(again.finding == .whole && again.head == log.head)
        #expect(try LogBench.everything(in: again) == records)
        try bench.append(1, to: &again)
        let names = try bench.segments
        #expect(names.count == 2)
        again.keeper.close()
        for (name, digit) in zip(names, [UInt8(ascii: "1"), UInt8(ascii: "2")]) {
            try bench.change(name) { #expect($0[7] == digit) }
        }
        let third = try bench.open()
        #expect(third.finding == .whole && third.head == again.head)
        #expect(try LogBench.everything(in: third).prefix(100) == records[...])
        third.keeper.close()
    }

    @Test func aTornTailIsCutOffAndTheEpochGoesOn() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let next = try LogBench.records(3, after: log.head)
        try bench.forgetTheEnd(openedAt: LogBench.start(of: log.id, epoch: 1))
        let last = try #require(bench.segments.last)
        var whole = 0
        try bench.change(last) { bytes in
            whole = bytes.count
            var writer = ByteWriter()
            guard let form = bytes.withUnsafeBytes({ SegmentHeader($0) })?.form else { return }
            for record in next {
                SegmentFrame.encode(
                    record, settled: log.head.position.sequence, in: form, into: &writer)
            }
            bytes += writer.array.dropLast(11)
        }
        var again = try bench.open()
        #expect(again.finding == .torn && again.head == next[1].mark)
        try bench.append(1, to: &again)
        again.keeper.close()
        let third = try bench.open()
        #expect(third.head == again.head)
        third.keeper.close()
        #expect(whole > 0)
    }

    @Test func aCopyOfTheDirectoryBeginsANewEpoch() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        try FileManager.default.moveItem(atPath: bench.directory, toPath: bench.directory + "-old")
        try FileManager.default.copyItem(
            atPath: bench.directory + "-old", toPath: bench.directory)
        try FileManager.default.removeItem(atPath: bench.directory + "-old")
        try expectNewEpoch(bench, after: log) { $0 == .restored }
    }

    @Test func whatIsCopiedBackOverALogBeginsANewEpoch() throws {
        let bench = try LogBench()
        var log = try closedLog(bench)
        let saved = try ["stamp"] + bench.segments
        var copies: [String: [UInt8]] = [:]
        for name in saved { try bench.change(name) { copies[name] = $0 } }
        log = try bench.open()
        try bench.append(50, to: &log)
        log.keeper.close()
        for name in try bench.segments where copies[name] == nil {
            try FileManager.default.removeItem(atPath: bench.path(name))
        }
        for (name, bytes) in copies { try bench.change(name) { $0 = bytes } }
        try expectNewEpoch(bench, after: log) { $0 == .restored }
    }

    /// The epochs that it began since are lost with their files. Positions in them are known to
    /// clients, and name the cluster.
    @Test(arguments: [true, false])
    func aBrokenLogBeginsBehindTheClustersEpoch(isBroken: Bool) throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let opened = try bench.open()
        opened.keeper.keep(KeptCluster(ClusterID(0xA), in: Epoch(7)).bytes, as: .cluster)
        opened.keeper.close()
        if isBroken {
            let last = try #require(bench.segments.last)
            try FileManager.default.removeItem(atPath: bench.path(last))
        }
        let again = try bench.open()
        #expect(again.id != log.id && again.head == LogBench.start(of: again.id, epoch: 8))
        again.keeper.close()
        let third = try bench.open()
        #expect(third.finding == .whole && third.head == again.head)
        third.keeper.close()
    }

    /// The log stands where the cluster has been, or further.
    @Test(arguments: [1, 0] as [UInt32])
    func aLogThatIsNotBehindItsClusterGoesOn(epoch: UInt32) throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let opened = try bench.open()
        opened.keeper.keep(KeptCluster(ClusterID(0xA), in: Epoch(epoch)).bytes, as: .cluster)
        opened.keeper.close()
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    @Test func aMovedDirectoryIsTheSameLog() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let moved = bench.directory + "-moved"
        try FileManager.default.moveItem(atPath: bench.directory, toPath: moved)
        try FileManager.default.moveItem(atPath: moved, toPath: bench.directory)
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    @Test func lostSegmentsAtTheEndBeginANewEpoch() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let last = try #require(bench.segments.last)
        try FileManager.default.removeItem(atPath: bench.path(last))
        try expectNewEpoch(bench, after: log) { if case .cut = $0 { true } else { false } }
        for name in try bench.segments {
            try FileManager.default.removeItem(atPath: bench.path(name))
        }
        let again = try bench.open()
        #expect(again.finding == .broken(.segmentsMissing))
        #expect(again.head == LogBench.start(of: again.id, epoch: 3))
        again.keeper.close()
    }

    /// By that a release before slots does not start on it.
    @Test func theStampSaysWhetherTheLogAssignsSlotsOrMayBeginTo() throws {
        let bench = try LogBench()
        func format(mayBeginSlots: Bool) throws -> String {
            let log = try bench.open { $0.mayBeginSlots = mayBeginSlots }
            #expect(log.finding == .empty || log.finding == .whole)
            log.keeper.close()
            let stamp = try Data(contentsOf: URL(fileURLWithPath: bench.path("stamp")))
            return String(decoding: stamp.prefix(8), as: UTF8.self)
        }
        #expect(try format(mayBeginSlots: false) == "MARTLOG1")
        #expect(try format(mayBeginSlots: true) == "MARTLOG2")
        #expect(try format(mayBeginSlots: false) == "MARTLOG1", "it has not begun to")
        try Data([1]).write(to: URL(fileURLWithPath: bench.path("slots")))
        #expect(try format(mayBeginSlots: false) == "MARTLOG2")
    }

    /// Without an end in order: a process that is killed next leaves the right stamp.
    @Test func theStampSaysThatTheLogHasSlotsOnceTheirOwnersAreStored() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(1, to: &log)
        func format() throws -> String {
            let stamp = try Data(contentsOf: URL(fileURLWithPath: bench.path("stamp")))
            return String(decoding: stamp.prefix(8), as: UTF8.self)
        }
        #expect(try format() == "MARTLOG1")
        log.keeper.keep([1], as: .slots)
        var isKept = false
        while !isKept {
            if case .kept(.slots, let error, _) = try bench.hear() { isKept = error == nil }
        }
        #expect(try format() == "MARTLOG2")
        log.keeper.close()
    }

    /// A process that was killed has told in the stamp which segment it had begun.
    @Test func aLostLastSegmentIsNoticedAfterACrashToo() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let stamp = try Data(contentsOf: URL(fileURLWithPath: bench.path("stamp")))
        let mark = try #require(stamp.withUnsafeBytes { LogStamp($0) }).mark
        #expect(mark == log.head)
        let last = try #require(bench.segments.last.flatMap { SegmentName($0) })
        var again = try bench.open()
        for _ in 0..<40 { try bench.append(5, to: &again) }
        var open: LogMark?
        try bench.change("stamp") { bytes in
            open = bytes.withUnsafeBytes { LogStamp($0) }?.mark
        }
        #expect(try #require(open).position > last.base)
        again.keeper.close()
    }

    @Test(arguments: [1, 3]) func damageInTheMiddleMovesTheTail(index: Int) throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let names = try bench.segments
        let next = try #require(SegmentName(names[index + 1])).base.sequence.next
        try bench.change(names[index]) { $0[300] ^= 1 }
        var again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        guard case .damaged(let damage) = try bench.hear() else {
            Issue.record("the log's thread tells what it finds")
            return
        }
        #expect(damage.name.description == names[index])
        #expect(again.tail == next && again.read(after: .none, limit: 1) == nil)
        let kept = try LogBench.everything(in: again)
        #expect(kept.first?.position.sequence == next && kept.last?.mark == log.head)
        #expect(again.figures.contains(LogFigure("log_segments_damaged", 1)))
        try bench.append(1, to: &again)
        again.keeper.close()
        #expect(try bench.segments.starts(with: names[(index + 1)...]))
        let third = try bench.open()
        #expect(third.finding == .whole && third.head == again.head && third.tail == next)
        third.keeper.close()
    }

    /// Whoever asks before the log's thread has got there sees nothing that is not proven.
    @Test func whatIsDamagedIsNeverHandedOut() throws {
        let bench = try LogBench()
        let log = try closedLog(bench)
        let before = try bench.segments
        let original = try LogBench.everything(in: log)
        for name in before.dropLast() {
            try bench.change(name) { $0[$0.count - 3] ^= 1 }
            let again = try bench.open()
            for sequence in UInt64(0)..<100 {
                let read = again.read(after: SequenceNumber(sequence), limit: 3) ?? []
                for record in read { #expect(original.contains(record)) }
                if sequence < again.tail.rawValue - 1 { #expect(read == []) }
            }
            again.keeper.close()
        }
    }

    @Test func everythingIsProvenInTheEnd() throws {
        let bench = try LogBench()
        _ = try closedLog(bench)
        let again = try bench.open()
        func figure(_ name: String) -> UInt64? { again.figures.first { $0.name == name }?.value }
        #expect(figure("log_segments") == UInt64(try bench.segments.count))
        let deadline = ContinuousClock.now + .seconds(20)
        while figure("log_proven_bytes") != figure("log_bytes"), ContinuousClock.now < deadline {
            sched_yield()
        }
        #expect(figure("log_proven_bytes") == figure("log_bytes"))
        #expect(figure("log_synchronized") == 100)
        again.keeper.close()
    }

    @Test func anEmptiedDirectoryHasNoHistory() throws {
        let bench = try LogBench()
        _ = try closedLog(bench)
        try FileManager.default.removeItem(atPath: bench.directory)
        let again = try bench.open()
        #expect(again.finding == .empty && again.outlivesItsProcess)
        again.keeper.close()
    }
}
