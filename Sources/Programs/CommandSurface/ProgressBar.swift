/// How far long work has come, on standard error, if that is a terminal.
package struct ProgressBar {
    private static let barWidth = 24
    private let verb: String
    private let total: Int
    private let isShown = Console.isErrorTerminal

    package init(_ verb: String, total: Int) {
        self.verb = verb
        self.total = total
    }

    package func show(_ done: Int) {
        guard isShown, total > 0 else { return }
        write("\r" + Self.text(verb, share: min(1, Double(done) / Double(total))))
    }

    /// `reading ████████████▌░░░░░░░░░░░  52 %`, always as long.
    package static func text(_ verb: String, share: Double) -> String {
        let bar = FigureText.bar(share, width: barWidth)
        let rest = String(repeating: "░", count: barWidth - bar.count)
        let percent = String(Int(share * 100))
        let gap = String(repeating: " ", count: 4 - percent.count)
        return "\(verb) \(bar)\(rest)\(gap)\(percent) %"
    }

    /// Clears the line.
    package func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        Console.overwrite(text)
    }
}
