import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

@Suite struct LogHistoryTests {
    private static let fresh = LogID(0xF0)
    private static let other = LogID(0x07)
    private static let now: Instant = .seconds(1_000)

    /// A log in memory without a history.
    private static func empty() -> SlowLog {
        SlowLog(MemoryLog(id: fresh, decode: SealedRecord.kept))
    }

    /// The log after it began with record 5 as its head.
    private static func begun() -> SlowLog {
        var log = empty()
        log.continueHistory(of: fresh, from: .at(5))
        return log
    }

    private static func report(
        _ mark: LogMark, of log: LogID = other
    ) throws -> LogHistory.Report {
        LogHistory.Report(node: try #require(NodeID("n1")), mark: mark, log: log)
    }

    private static func verdict(
        on report: LogHistory.Report, _ history: inout LogHistory, isUnwritten: Bool = true
    ) -> LogHistory.Verdict {
        history.judge(
            report, in: begun(), isUnwritten: isUnwritten, guards: .all, now: now)
    }

    // MARK: Reports

    @Test func aNodeAheadIsFollowedOnlyWhileNothingWasWritten() throws {
        let ahead = try Self.report(.at(9))
        var borrowed = LogHistory(of: Self.empty(), freshID: Self.fresh)
        #expect(Self.verdict(on: ahead, &borrowed) == .follow)
        #expect(Self.verdict(on: ahead, &borrowed, isUnwritten: false) == .newEpoch(Epoch(2)))
        var own = LogHistory(of: Self.begun(), freshID: Self.fresh)
        #expect(Self.verdict(on: ahead, &own) == .newEpoch(Epoch(2)), "it had a history")
    }

    @Test func anotherDigestAtTheHeadOpensAnEpoch() throws {
        var history = LogHistory(of: Self.empty(), freshID: Self.fresh)
        let same = try Self.report(.at(5))
        #expect(Self.verdict(on: same, &history) == .ofTheLog)
        let unlike = try Self.report(.at(5, digest: 77))
        #expect(Self.verdict(on: unlike, &history) == .newEpoch(Epoch(2)))
    }

    @Test func aNodeBehindIsServedFromTheLog() throws {
        var history = LogHistory(of: Self.empty(), freshID: Self.fresh)
        let behind = try Self.report(.at(3, digest: 77))
        #expect(Self.verdict(on: behind, &history) == .another)
    }

    @Test func reportsOpenABoundedNumberOfEpochs() throws {
        var history = LogHistory(of: Self.empty(), freshID: Self.fresh)
        let unlike = try Self.report(.at(5, digest: 77))
        for _ in 0..<PublisherLimits.epochsAtOnceMax {
            #expect(Self.verdict(on: unlike, &history) == .newEpoch(Epoch(2)))
        }
        #expect(Self.verdict(on: unlike, &history) == .contradiction)
    }

    // MARK: The start

    @Test func aLogWithoutReportsBeginsInTheFirstEpoch() {
        let history = LogHistory(of: Self.empty(), freshID: Self.fresh)
        for isDurable in [true, false] {
            let start = history.start(isDurable: isDurable)
            #expect(start.log == Self.fresh && start.mark.position == .at(0))
            #expect(start.isContinued == false && start.isLost == false)
        }
    }

    @Test func aMemoryLogContinuesAndADiskLogStartsALaterEpoch() throws {
        var history = LogHistory(of: Self.empty(), freshID: Self.fresh)
        history.remember(try Self.report(.at(9, epoch: 7)), guards: .all)
        history.remember(try Self.report(.at(3, epoch: 7)), guards: .all)
        let memory = LogHistory.Start(log: Self.other, mark: .at(9, epoch: 7), isContinued: true)
        #expect(history.start(isDurable: false) == memory)
        let disk = history.start(isDurable: true)
        #expect(disk.log == Self.fresh && disk.mark.position == .at(0, epoch: 8))
        #expect(disk.isContinued == false && disk.isLost == true)
    }
}
