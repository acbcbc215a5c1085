import CacheInvalidation
import CacheModel
import Foundation
import Storage
import Testing
import Threading

/// What a log on disk knows at a start of what it touched before.
@Suite struct FloorsRecallTests {
    /// Appends `batches` of five records, each of which touches a tag of its own, and tells
    /// `floors` of them.
    private func append(
        _ batches: Int, to log: inout FileLog, _ bench: LogBench, noting floors: inout FloorSnapshot
    ) throws {
        for _ in 0..<batches {
            let before = log.head.position.sequence
            try bench.append(5, to: &log, tag: "tag \(before)")
            for record in try #require(log.read(after: before, limit: 5)) { floors.note(record) }
        }
    }

    /// What the log's thread finds out after the log was opened again.
    private func recalled(_ log: FileLog, _ bench: LogBench) throws -> FloorSnapshot {
        #expect(log.areFloorsComing)
        while true {
            if case .floors(let floors) = try bench.hear() { return floors }
        }
    }

    /// A log of 100 records and what it touched; its floors are saved when it had `saved` batches.
    private func closedLog(
        _ bench: LogBench, savedAfter saved: Int?, sync: LogSync = .always
    ) throws -> (log: FileLog, floors: FloorSnapshot) {
        var log = try bench.open { $0.sync = sync }
        var floors = FloorSnapshot(of: log.id, at: log.head, isCertain: true)
        try append(saved ?? 20, to: &log, bench, noting: &floors)
        if saved != nil, saved != 20 {
            // The log's thread saves in its own time; closing waits for it.
            log.keeper.close(saving: floors)
            log = try bench.open { $0.sync = sync }
            try append(20 - (saved ?? 0), to: &log, bench, noting: &floors)
            log.keeper.close()
        } else {
            log.keeper.close(saving: saved == nil ? nil : floors)
        }
        // On a busy machine the second log's floors come only after its last batch.
        bench.discardNews()
        return (log, floors)
    }

    @Test(arguments: [20, 19, 7, 0])
    func whatWasSavedIsBroughtUpToTheHead(saved: Int) throws {
        let bench = try LogBench()
        let (log, floors) = try closedLog(bench, savedAfter: saved)
        let again = try bench.open()
        #expect(try recalled(again, bench) == floors)
        #expect(again.head == log.head)
        again.keeper.close()
    }

    @Test func withoutAFileItIsReadFromAllThatIsKept() throws {
        let bench = try LogBench()
        var (_, floors) = try closedLog(bench, savedAfter: nil)
        let again = try bench.open()
        floors.becomeUncertain()
        #expect(try recalled(again, bench) == floors)
        again.keeper.close()
    }

    @Test func aDamagedFileIsPassedOver() throws {
        let bench = try LogBench()
        var (_, floors) = try closedLog(bench, savedAfter: 20)
        try bench.change("floors") { $0[$0.count / 2] ^= 4 }
        let again = try bench.open()
        floors.becomeUncertain()
        #expect(try recalled(again, bench) == floors)
        again.keeper.close()
    }

    /// Of another life of the log, or of none of its records.
    @Test func aStrangeFileIsPassedOver() throws {
        for (id, epoch, digest) in [(0xF1, 1, 0), (0xF0, 2, 0), (0xF0, 1, 9)]
            as [(UInt64, UInt32, UInt64)]
        {
            let bench = try LogBench()
            var (log, floors) = try closedLog(bench, savedAfter: nil)
            log = try bench.open()
            _ = try recalled(log, bench)
            let position = LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(50))
            log.keeper.close(
                saving: FloorSnapshot(
                    of: LogID(id), at: LogMark(position: position, digest: LogDigest(digest)),
                    isCertain: true))
            let again = try bench.open()
            floors.becomeUncertain()
            #expect(try recalled(again, bench) == floors, "\(id) \(epoch) \(digest)")
            again.keeper.close()
        }
    }

    /// What retention has removed nobody can read: less is known, never more.
    @Test func whatIsNoLongerKeptIsNotKnown() throws {
        let bench = try LogBench()
        let (log, _) = try closedLog(bench, savedAfter: 1)
        for name in try bench.segments.prefix(4) {
            try FileManager.default.removeItem(atPath: bench.path(name))
        }
        let again = try bench.open()
        let floors = try recalled(again, bench)
        #expect(floors.asOf == log.head && !floors.isCertain)
        #expect(floors.completeSince == SequenceNumber(again.tail.rawValue - 1))
        #expect(floors.completeSince > SequenceNumber(5))
        let kept = try #require(Tag("tag 95"))
        #expect(floors.floor(ofTag: kept, in: .default) == SequenceNumber(100))
        again.keeper.close()
    }

    /// After a crash, records may be missing that somebody obeyed, unless each was synchronized.
    @Test(arguments: [LogSync.always, .interval, .none])
    func onlyASynchronizedLogStaysCertainAfterACrash(sync: LogSync) throws {
        let bench = try LogBench()
        let (log, floors) = try closedLog(bench, savedAfter: 20, sync: sync)
        try bench.forgetTheEnd(openedAt: LogBench.start(of: log.id, epoch: 1))
        let again = try bench.open { $0.sync = sync }
        let found = try recalled(again, bench)
        #expect(found.isCertain == (sync == .always) && found.completeSince == floors.completeSince)
        again.keeper.close()
        // The file is gone, so that the next start cannot take it for certain either.
        let isThere = FileManager.default.fileExists(atPath: bench.path("floors"))
        #expect(isThere == (sync == .always))
    }

    @Test func aLogThatWasClosedStaysCertain() throws {
        let bench = try LogBench()
        let (_, floors) = try closedLog(bench, savedAfter: 20, sync: .none)
        let again = try bench.open { $0.sync = .none }
        #expect(try recalled(again, bench) == floors && floors.isCertain)
        again.keeper.close()
    }

    @Test func aNewLifeHasNothingToRecall() throws {
        let bench = try LogBench()
        let log = try bench.open()
        #expect(!log.areFloorsComing)
        log.keeper.close()
        let again = try bench.open { $0.isNewEpochWanted = true }
        #expect(!again.areFloorsComing)
        again.keeper.close()
    }

    /// A save that fails is told, and harms nothing.
    @Test func aFullDiskKeepsTheOlderFile() throws {
        let bench = try LogBench()
        let (log, floors) = try closedLog(bench, savedAfter: 20)
        let again = try bench.open()
        _ = try recalled(again, bench)
        bench.fault.withLock { $0 = (.write, 28) }
        again.keeper.save(floors)
        while true {
            guard case .trouble(let reason) = try bench.hear() else { continue }
            #expect(reason.contains("no room left"))
            break
        }
        bench.fault.withLock { $0 = nil }
        again.keeper.close()
        let third = try bench.open()
        #expect(try recalled(third, bench) == floors && third.head == log.head)
        third.keeper.close()
    }
}
