import CacheModel
import CommandSurface
import LoadTest
import Threading

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
