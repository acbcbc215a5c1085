import CacheModel
import CommandSurface

/// How far a long command is, on standard error: one line that changes on a terminal, and elsewhere
/// a line now and then.
struct ProgressLine {
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

    mutating func show(_ text: (_ elapsed: Duration) -> String) {
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

    /// `120/s`.
    static func rate(_ count: Int, in elapsed: Duration) -> String {
        let seconds = Double(elapsed.wholeMilliseconds) / 1_000
        return "\(seconds > 0 ? Int(Double(count) / seconds) : 0)/s"
    }
}

/// One line on standard error that says what is waited for, if that is a terminal.
struct WaitingLine {
    private let isShown: Bool

    init(isQuiet: Bool = false) {
        isShown = !isQuiet && Console.isErrorTerminal
    }

    func show(_ text: String) {
        if isShown { Console.overwrite("\r\u{1B}[K\(text)") }
    }

    func finish() {
        if isShown { Console.overwrite("\r\u{1B}[K") }
    }
}
