import CacheModel
import CommandSurface
import LoadTest
import MartletClient
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

/// The line that says how a load test goes, on standard error, if that is a terminal.
enum BenchScreen {
    /// Shows it until the run is over.
    static func show(_ run: LoadTestRun, isQuiet: Bool) async {
        guard !isQuiet, Console.isErrorTerminal else { return }
        let line = WaitingLine()
        while !run.board.isOver {
            line.show(text(run.board.snapshot(at: MonotonicClock.now.nanoseconds)))
            await pause()
        }
        line.finish()
    }

    /// A quarter of a second, also once the run is told to end: until it has, what is on its way
    /// is waited for, and the line goes on.
    static func pause() async {
        // A task of its own is not cancelled with the one that waits for it.
        _ = await Task { try await Task.sleep(for: .milliseconds(250)) }.result
    }

    /// `steady 12s of 60s  1 204 331 keys/s  p99 412 µs  99.8 % hits  3 errors/s`.
    static func text(_ snapshot: ProgressBoard.Snapshot) -> String {
        guard !snapshot.phase.isEmpty else { return "connecting" }
        var parts = ["\(snapshot.phase) \(Int(snapshot.elapsedSeconds))s"]
        if let planned = snapshot.plannedSeconds { parts[0] += " of \(Int(planned.rounded()))s" }
        guard let moment = snapshot.moment else { return parts[0] }
        if let rate = moment.keysPerSecond {
            parts.append("\(FigureText.grouped(UInt64(rate))) keys/s")
        }
        if let latency = moment.latency.known(99) {
            parts.append("p99 \(FigureText.grouped(latency / 1_000)) µs")
        }
        if let ratio = moment.hitRatio {
            parts.append("\((ratio * 1_000).rounded() / 10) % hits")
        }
        if moment.errorCount > 0 { parts.append("\(moment.errorCount) errors/s") }
        if moment.notSentCount > 0 { parts.append("\(moment.notSentCount) not sent/s") }
        return parts.joined(separator: "  ")
    }
}
