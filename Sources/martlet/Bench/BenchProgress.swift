import Foundation
import OperationLog

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How far long work has come, on standard error, if that is a terminal.
struct BenchProgress {
    private static let barWidth = 24
    private let verb: String
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1

    init(_ verb: String, total: Int) {
        self.verb = verb
        self.total = total
    }

    func show(_ done: Int) {
        guard isShown, total > 0 else { return }
        write("\r" + Self.text(verb, share: min(1, Double(done) / Double(total))))
    }

    /// `reading ████████████▌░░░░░░░░░░░  52 %`, always as long.
    static func text(_ verb: String, share: Double) -> String {
        let bar = FigureText.bar(share, width: barWidth)
        let rest = String(repeating: "░", count: barWidth - bar.count)
        let percent = String(Int(share * 100))
        let gap = String(repeating: " ", count: 4 - percent.count)
        return "\(verb) \(bar)\(rest)\(gap)\(percent) %"
    }

    /// Clears the line.
    func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        StandardError.write(text)
    }
}
