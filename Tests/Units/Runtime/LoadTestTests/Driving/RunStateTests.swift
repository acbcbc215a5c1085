import CacheModel
import Threading
import Testing

@testable import LoadTest

/// What threads of a run share.
@Suite struct RunStateTests {
    private static func moment(_ keys: UInt64) -> Moment {
        var moment = Moment()
        moment.keyCount = keys
        return moment
    }

    private static func shown(_ board: ProgressBoard) -> UInt64? {
        board.snapshot(at: 1).moment?.keyCount
    }

    @Test func aSecondIsShownOnceAllHaveToldOfIt() {
        let board = ProgressBoard()
        board.begin(ProgressBoard.Phase(name: "steady"), threadCount: 2)
        board.post(Self.moment(1), index: 0, of: 0)
        #expect(Self.shown(board) == nil)
        board.post(Self.moment(2), index: 0, of: 1)
        #expect(Self.shown(board) == 3)
        board.post(Self.moment(10), index: 1, of: 1)
        #expect(Self.shown(board) == 3)
    }

    @Test func aThreadThatLeftThePhaseIsNotWaitedFor() {
        let board = ProgressBoard()
        board.begin(ProgressBoard.Phase(name: "fill"), threadCount: 2)
        board.post(Self.moment(1), index: 0, of: 0)
        board.leave(1)
        #expect(Self.shown(board) == 1)
        board.post(Self.moment(5), index: 1, of: 0)
        #expect(Self.shown(board) == 5)
        board.begin(ProgressBoard.Phase(name: "steady"), threadCount: 2)
        board.post(Self.moment(7), index: 0, of: 0)
        #expect(Self.shown(board) == nil, "in the next phase it is")
    }

    /// Two machines that begin at one moment say one moment, whenever their gates opened.
    @Test func aPhaseThatBeginsLaterSaysWhenItBegins() {
        let ledger = PhaseLedger(phaseCount: 1)
        let wall = WallClock.now
        ledger.begin(0, at: MonotonicClock.now.nanoseconds + 3_000_000_000)
        #expect((wall + 2_900...wall + 4_000).contains(ledger[0].startedAtWall))
        ledger.begin(0, at: MonotonicClock.now.nanoseconds - 3_000_000_000)
        #expect(ledger[0].startedAtWall < wall - 1_900)
    }

    @Test func onlyTheFirstStartRecordsTheProcessorTime() throws {
        let ledger = PhaseLedger(phaseCount: 1)
        ledger.start(0)
        let first = try #require(ledger[0].processorAtStart)
        ledger.start(0)
        #expect(ledger[0].processorAtStart == first)
    }

    @Test func theLastOneAtTheGateSaysWhenItOpens() throws {
        let gate = PhaseGate(threadCount: 3)
        let calls = Guarded(0)
        let threads = try (0..<3).map { _ in
            try OwnedThread(name: "gate") {
                gate.arrive {
                    calls.withLock { $0 += 1 }
                    return 42
                }
            }
        }
        #expect(threads.map { $0.join() } == [42, 42, 42])
        #expect(calls.withLock { $0 } == 1)
    }
}
