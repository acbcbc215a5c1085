import CommandSurface
import LoadTest

/// What a load test says when it is over, and how the command ends.
struct BenchOutput {
    let output: CommandOutput
    private let figures: RunFigures

    init(_ figures: RunFigures, style: OutputStyle) {
        var output = CommandOutput()
        switch style {
        case .json: output.writeLine(figures.json)
        case .text(let isColoured): figures.write(to: &output, isColoured: isColoured)
        }
        let wrongCount = figures.verification?.violationCount ?? 0
        for violation in figures.verification?.violations ?? [] {
            let key = HarmlessText.line(String(decoding: violation.key, as: UTF8.self))
            output.complain("a wrong answer to \(key): \(violation.sentence)", .violation)
        }
        if wrongCount > 0 {
            output.status = .violation
        } else if let failure = figures.failure {
            output.complain("the run ended early: \(failure)", .unreachable)
        } else if !figures.wasCutShort,
            figures.phases.allSatisfy({ $0.keyCount == $0.errorCount })
        {
            output.complain("nothing was answered: is the cluster up?", .unreachable)
        }
        self.output = output
        self.figures = figures
    }

    /// Says it, writes the report, and ends the command. A disk that takes no report takes neither
    /// the figures away nor the exit code of a wrong answer.
    func finish(_ page: ReportFile?) throws {
        try output.finish { () throws(CommandFailure) in try page?.write(figures) }
    }
}
