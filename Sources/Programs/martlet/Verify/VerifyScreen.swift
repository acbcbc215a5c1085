import CacheModel
import CacheVerification
import CommandSurface

/// How far a check is: one line on standard error that changes, if that is a terminal.
struct VerifyScreen {
    static let pause: Duration = .milliseconds(250)

    let line: WaitingLine

    func show(_ report: VerifyReport) { line.show(Self.text(report)) }

    /// `12s · 340 records · 100 sampled, 12 open · 1s >2.5 · 10s >2.4 · 1m –`.
    static func text(_ report: VerifyReport) -> String {
        let tally = report.check.tally
        var parts = [
            FigureText.timeLeft(report.elapsed), FigureText.count(tally.recordCount, "record"),
            "\(tally.sampledCount) sampled, \(report.check.openCount) open",
        ]
        for (index, delay) in report.check.plan.delays.enumerated() {
            parts.append("\(FigureText.timeLeft(delay)) \(report.total(after: index).nines)")
        }
        if tally.wrongCount > 0 { parts.append("\(tally.wrongCount) WRONG") }
        if let silence = report.silence, silence > TailSilence.patience {
            parts.append("the publisher is silent for \(FigureText.timeLeft(silence))")
        }
        return parts.joined(separator: " · ")
    }

    func finish() { line.finish() }
}
