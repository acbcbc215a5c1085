import CommandSurface
import LoadTest
import MartletClient
import Synchronization
import Threading

/// Runs a load test beside a line that says how it goes; Ctrl-C ends it and keeps what it has.
struct BenchRun {
    private let plan: LoadTestPlan
    /// What an echo is asked before, if it is.
    private let echo: LoadTestPlan?
    private let isQuiet: Bool

    init(_ plan: BenchPlan, isQuiet: Bool) {
        self.isQuiet = isQuiet
        self.plan = plan.plan
        echo = plan.echo
    }

    func run() async throws -> RunFigures {
        let (results, ended) = AsyncStream<Result<RunFigures, LoadTestFailure>>.makeStream()
        try await Interruption.ending {
            announceStart()
            var echoed: RunFigures?
            if let echo {
                let result = await carriedOut(LoadTestRun(echo))
                guard case .success(let figures) = result, !figures.wasCutShort else {
                    if case .failure = result { ended.yield(result) }
                    return
                }
                echoed = figures
            }
            let result = await carriedOut(LoadTestRun(plan))
            ended.yield(
                result.map { figures in
                    var figures = figures
                    figures.echoKeysPerSecond = echoed?.total.keysPerSecond
                    return figures
                })
        }
        ended.finish()
        guard let result = await results.first(where: { _ in true }) else {
            throw CommandFailure(.incomplete, "stopped before anything was asked for")
        }
        switch result {
        case .success(let figures): return figures
        case .failure(.cluster(let error)):
            throw CommandFailure(
                ExitStatus(error), error.sentence(endpoints: plan.endpoints))
        case .failure(.system(let sentence)): throw CommandFailure(.refused, sentence)
        }
    }

    /// Says how far away the beginning is: a clock that is off shows here.
    private func announceStart() {
        guard !isQuiet, let start = plan.startAt else { return }
        let now = WallClock.now
        let rest = start > now ? start - now : 0
        Console.report("begins in \(FigureText.timeLeft(.milliseconds(Int64(rest))))")
    }

    /// Ctrl-C ends it and keeps what it has.
    private func carriedOut(
        _ run: LoadTestRun
    ) async -> Result<RunFigures, LoadTestFailure> {
        await withTaskCancellationHandler {
            async let shown: Void = BenchScreen.show(run, isQuiet: isQuiet)
            let result = await blocking("load test") {
                Result { () throws(LoadTestFailure) in try run.run() }
            }
            run.board.end()
            await shown
            return result
        } onCancel: {
            run.stop.raise(.asked)
        }
    }
}
