import CacheInvalidation
import CacheModel
import Foundation
import Storage
import Testing
import Threading

#if canImport(Glibc)
    import Glibc
#endif

/// What happens when the disk fails.
@Suite struct LogWriterTests {
    /// Whatever fails before the synchronization, nothing was appended, replay goes on, and once
    /// there is room the log goes on too.
    @Test(arguments: [LogFaults.Step.write, .reserve, .create, .rename])
    func aFullDiskRefusesAppendsAndKeepsReplaying(step: LogFaults.Step) throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(3, to: &log)
        var refused = 0
        var head = log.head
        for _ in 0..<40 {
            bench.fault.withLock { $0 = (step, ENOSPC) }
            if let refusal = try bench.append(5, to: &log, tag: "lost").refusal {
                refused += 1
                #expect(refusal.description.contains("no room left"), "\(refusal)")
                #expect(log.head == head)
                bench.fault.withLock { $0 = nil }
                #expect(try bench.append(5, to: &log).refusal == nil)
            }
            head = log.head
            #expect(try LogBench.everything(in: log, limit: 50).last?.mark == head)
        }
        #expect(refused > 3)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        again.keeper.close()
    }

    @Test(arguments: [LogFaults.Step.reserve, .create])
    func aRefusingLogIsProbedAndReportsRecovery(step: LogFaults.Step) throws {
        let bench = try LogBench()
        var log = try bench.open { $0.probeInterval = .milliseconds(5) }
        bench.fails.withLock { $0 = [step] }
        var refused = 0
        // A segment has room for some: then the next one is needed.
        for _ in 0..<20 where refused == 0 {
            refused += try bench.append(5, to: &log).refusal == nil ? 0 : 1
        }
        #expect(refused == 1)
        bench.fails.withLock { $0 = [] }
        #expect(try bench.hear() == .refusing(nil))
        #expect(try bench.append(5, to: &log).refusal == nil)
        let kept = try LogBench.everything(in: log)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        #expect(try LogBench.everything(in: again) == kept)
        again.keeper.close()
    }

    @Test func aFullDiskIsReportedWhenTheLogOpens() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(3, to: &log)
        log.keeper.close()
        bench.discardNews()
        bench.fails.withLock { $0 = [.reserve] }
        let again = try bench.open { $0.probeInterval = .milliseconds(5) }
        var first = try bench.hear()
        while case .floors = first { first = try bench.hear() }
        guard case .refusing(let error?) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(error.isDiskFull)
        bench.fails.withLock { $0 = [] }
        var next = try bench.hear()
        while case .floors = next { next = try bench.hear() }
        #expect(next == .refusing(nil))
        again.keeper.close()
    }

    /// Part of a batch reached the file before the disk was full.
    @Test func aHalfWrittenBatchIsTakenBack() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(3, to: &log)
        bench.fault.withLock { $0 = (.write, ENOSPC) }
        #expect(try bench.append(1, to: &log).refusal != nil)
        #expect(bench.steps.withLock { $0.last } == .cut)
        bench.fault.withLock { $0 = nil }
        #expect(try bench.append(2, to: &log).refusal == nil)
        log.keeper.close()
    }

    /// The next segment has its name already when a roll fails: a record that went to the one
    /// before it would lie beyond where the next one begins, and be forgotten.
    @Test(arguments: [false, true])
    func aFailedSegmentRollIsUndoneBeforeTheNextAppend(isRemovalLate: Bool) throws {
        let bench = try LogBench()
        var log = try bench.open()
        let start = log.head
        for _ in 0..<3 { try bench.append(5, to: &log) }
        #expect(try bench.segments.count == 1)
        bench.namesFail.withLock { $0 = true }
        if isRemovalLate { bench.fails.withLock { $0 = [.remove] } }
        #expect(try bench.append(5, to: &log, tag: "lost").refusal != nil)
        bench.namesFail.withLock { $0 = false }
        // While the next segment cannot be removed, one for which there is room is refused, too.
        if isRemovalLate { #expect(try bench.append(1, to: &log, tag: "lost").refusal != nil) }
        bench.fails.withLock { $0 = [] }
        #expect(try bench.append(1, to: &log).refusal == nil)
        #expect(try bench.segments.count == 1)
        let kept = try LogBench.everything(in: log)
        log.keeper.close()
        try bench.forgetTheEnd(openedAt: start)
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        #expect(try LogBench.everything(in: again) == kept && kept.count == 16)
        again.keeper.close()
    }

    /// After a synchronization that failed nobody knows what is on the disk.
    @Test func nothingIsWrittenAfterASynchronizationThatFailed() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(3, to: &log)
        let head = log.head
        bench.fault.withLock { $0 = (.synchronize, EIO) }
        #expect(try bench.append(1, to: &log).refusal != nil)
        bench.fault.withLock { $0 = nil }
        let refusal = try #require(try bench.append(1, to: &log).refusal)
        #expect(refusal.description.contains("restart the publisher"), "\(refusal)")
        #expect(log.head == head)
        #expect(try LogBench.everything(in: log).last?.mark == head)
        log.keeper.close()
        // The restart finds what had arrived; more is hidden by it, never less.
        let again = try bench.open()
        #expect(again.finding == .whole)
        #expect(again.head.position.sequence == SequenceNumber(4))
        again.keeper.close()
    }

    /// A segment longer than others is made for a batch that is.
    @Test func aBatchMayBeLongerThanASegment() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try bench.append(1, to: &log)
        try bench.append(400, to: &log)
        try bench.append(1, to: &log)
        log.keeper.close()
        #expect(try bench.segments.count == 3)
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        #expect(try LogBench.everything(in: again, limit: 1_000).count == 402)
        again.keeper.close()
    }
}
