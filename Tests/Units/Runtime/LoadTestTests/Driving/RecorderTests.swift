import CacheModel
import CacheWorkload
import Histogram
import MartletClient
import Testing

@testable import LoadTest

@Suite struct RecorderTests {
    private static let second: UInt64 = 1_000_000_000

    private static func figures(
        _ recorder: inout Recorder, endedAt: UInt64 = second
    ) -> PhaseFigures {
        recorder.figures(of: "steady", invalidations: [.invalidate], endedAt: endedAt)
    }

    private static func end(
        _ recorder: inout Recorder, _ kind: MeasuredKind, _ outcome: PipelinedOutcome,
        at now: UInt64 = 500
    ) {
        recorder.answered(kind, outcome, bytes: 10)
        recorder.finished(Ending(kind, dueAt: 100, isGood: outcome.isGood), now: now)
    }

    @Test func whatFailedIsNeitherInTheRateNorInTheLatencies() throws {
        var recorder = Recorder(startedAt: 0, board: nil)
        for outcome in [PipelinedOutcome.hit, .hit, .miss, .lost, .busy] {
            Self.end(&recorder, .get, outcome)
        }
        let phase = Self.figures(&recorder)
        #expect(phase.keyCount == 5 && phase.errorCount == 2 && phase.goodKeyCount == 3)
        #expect(phase.keysPerSecond == 3 && phase.operationsPerSecond == 3)
        #expect(phase.latency.totalCount == 3)
        let moment = try #require(phase.series.moments.first)
        #expect(moment.keysPerSecond == 3 && moment.errorsPerSecond == 2)
        #expect(phase.operations[0].goodKeyCount == 3)
    }

    @Test func aFillIsNoThroughput() throws {
        var recorder = Recorder(startedAt: 0, board: nil)
        Self.end(&recorder, .get, .miss)
        Self.end(&recorder, .fill, .stored, at: 9_000)
        let phase = Self.figures(&recorder)
        #expect(phase.keyCount == 1 && phase.operationCount == 1 && phase.keysPerSecond == 1)
        #expect(phase.latency.slowest == 400, "nor is it in the latencies of what was asked for")
        #expect(phase.operations.map(\.kind) == ["get", "fill"])
        #expect(phase.operations[1].keyCount == 1 && phase.operations[1].latency.totalCount == 1)
        #expect(try #require(phase.series.moments.first).keyCount == 1)
    }

    @Test func whatIsReadAndWrittenIsOneKey() {
        var recorder = Recorder(startedAt: 0, board: nil)
        recorder.looked(.readModifyWrite, .hit, bytes: 10)
        Self.end(&recorder, .readModifyWrite, .stored)
        Self.end(&recorder, .readModifyWrite, .lost)
        let phase = Self.figures(&recorder)
        #expect(phase.keyCount == 2 && phase.hitCount == 1 && phase.errorCount == 1)
        #expect(phase.operations[0].valueBytes == 30)
    }

    @Test func whatIsAsideDoesNotMakeThePhaseLonger() {
        var recorder = Recorder(startedAt: 0, board: nil)
        Self.end(&recorder, .get, .hit, at: 700)
        var ending = Ending(.invalidate, dueAt: 0, isGood: true)
        ending.isAside = true
        ending.isInvalidation = true
        recorder.finished(ending, now: 9_000)
        #expect(recorder.lastAnswerAt == 700)
        #expect(Self.figures(&recorder).seconds == 1)
    }

    @Test func invalidationsThatWereNeverSentAreErrorsOfTheirKind() throws {
        var recorder = Recorder(startedAt: 0, board: nil)
        recorder.notSentBeside(7)
        let phase = Self.figures(&recorder)
        #expect(phase.operations.map(\.kind) == ["invalidate"])
        #expect(phase.errors == ["notSent": 7] && phase.goodKeyCount == 0)
    }

    /// 10 000 wait at most; what is due beyond that is counted in the second in which it is.
    @Test func whatIsNeverSentIsCountedWhenThatIsDecided() throws {
        var phase = WorkloadPhase(name: "steady")
        phase.loop = .open(perSecond: 10_000, .constant)
        phase.duration = .seconds(10)
        let setup = DriverSetup(
            phase: phase, share: ThreadShare(thread: 0, of: 1), target: DriverTarget(), seed: 1)
        var state = DriverState(setup, startedAt: 0, runStartedAt: 0, board: nil)
        for half in [3, 5] as [UInt64] {
            let now = half * Self.second / 2
            state.recorder.passed(now)
            state.due.arrive(by: now - 1, before: 10 * Self.second, &state.recorder)
        }
        state.due.end(isOnePending: false, &state.recorder)
        let figures = Self.figures(&state.recorder, endedAt: 5 * Self.second / 2)
        #expect(figures.series.moments.map(\.notSentCount) == [0, 5_000, 20_000])
        #expect(figures.schedule?.notSentCount == 25_000)
    }

    @Test func aMessageIsAnOperationOfEachKindThatTravelsInIt() {
        var sums = MessageSums()
        sums.add(Ending(.set, dueAt: 50, isGood: false))
        sums.add(Ending(.insert, dueAt: 20, isGood: true))
        sums.add(Ending(.set, dueAt: 30, isGood: true))
        #expect(
            sums.take(Int(MeasuredKind.set.rawValue)) == Ending(.set, dueAt: 30, isGood: true))
        #expect(
            sums.take(Int(MeasuredKind.insert.rawValue))
                == Ending(.insert, dueAt: 20, isGood: true))
        #expect((0..<MeasuredKind.count).allSatisfy { sums.take($0) == nil })
    }
}
