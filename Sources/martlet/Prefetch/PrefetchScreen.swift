import CacheModel
import CommandSurface
import MartletClient

/// How far a prefetch is, on standard error: one line that changes on a terminal, and elsewhere a
/// line now and then.
struct PrefetchScreen {
    private static let pauseOnTerminal = Duration.milliseconds(100)
    private static let pauseElsewhere = Duration.seconds(10)

    private let line: WaitingLine
    private let isQuiet: Bool
    private let isTerminal = Console.isErrorTerminal
    private let startedAt = ContinuousClock.now
    private var nextAt: ContinuousClock.Instant

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        line = WaitingLine(isQuiet: isQuiet)
        let isTerminal = isTerminal
        nextAt = startedAt.advanced(by: isTerminal ? .zero : Self.pauseElsewhere)
    }

    mutating func show(_ tally: PrefetchTally) { show { Self.text(tally, after: $0) } }

    mutating func show(_ tally: PrefetchTally, resting rest: Duration, _ error: CacheError) {
        let reason = error.loadFailure?.sentence ?? HarmlessText.line(error.message)
        show {
            "\(Self.text(tally, after: $0)) · resting \(FigureText.timeLeft(rest)): \(reason)"
        }
    }

    /// `12 keys: 10 loaded, 2 fresh, 0 absent · 120/s`.
    static func text(_ tally: PrefetchTally, after elapsed: Duration) -> String {
        let seconds = Double(elapsed.wholeMilliseconds) / 1_000
        let rate = seconds > 0 ? Int(Double(tally.keyCount) / seconds) : 0
        return "\(tally.sentence) · \(rate)/s"
    }

    private mutating func show(_ text: (_ elapsed: Duration) -> String) {
        let now = ContinuousClock.now
        guard !isQuiet, now >= nextAt else { return }
        nextAt = now.advanced(by: isTerminal ? Self.pauseOnTerminal : Self.pauseElsewhere)
        if isTerminal {
            line.show(text(now - startedAt))
        } else {
            Console.complain(text(now - startedAt))
        }
    }

    func finish() { line.finish() }
}
