import CacheModel
import CommandSurface
import MartletClient

/// How far a prefetch is, on standard error.
struct PrefetchScreen {
    private var line: ProgressLine

    init(isQuiet: Bool) { line = ProgressLine(isQuiet: isQuiet) }

    mutating func show(_ tally: PrefetchTally) { line.show { Self.text(tally, after: $0) } }

    mutating func show(_ tally: PrefetchTally, resting rest: Duration, _ error: CacheError) {
        let reason = error.loadFailure?.sentence ?? HarmlessText.line(error.message)
        line.show {
            "\(Self.text(tally, after: $0)) · resting \(FigureText.timeLeft(rest)): \(reason)"
        }
    }

    /// `12 keys: 10 loaded, 2 fresh, 0 absent · 120/s`.
    static func text(_ tally: PrefetchTally, after elapsed: Duration) -> String {
        "\(tally.sentence) · \(ProgressLine.rate(tally.keyCount, in: elapsed))"
    }

    func finish() { line.finish() }
}
