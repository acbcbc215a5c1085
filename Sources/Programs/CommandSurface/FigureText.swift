import CacheModel

/// Figures as people read them at a glance. Scripts read the exact ones from `--json`.
package enum FigureText {
    package static let none = "–"

    /// 1234567 as 1 234 567.
    package static func grouped(_ value: UInt64) -> String { value.grouped() }

    /// `812B`, `12.3KiB`, `256MiB`: at most one digit after the point.
    package static func size(_ bytes: UInt64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var tenths = UInt128(bytes) * 10
        var unit = 0
        while tenths >= 10_235, unit + 1 < units.count {
            tenths = (tenths + 512) / 1_024
            unit += 1
        }
        return decimal(tenths: UInt64(tenths)) + units[unit]
    }

    /// `340ms`, `2.9s`, `4m10s`, `3h20m`, `5d4h`; `none` for no end.
    package static func timeLeft(_ duration: Duration?) -> String {
        guard let duration else { return "none" }
        let milliseconds = duration.wholeMilliseconds
        let seconds = milliseconds / 1_000
        switch seconds {
        case 0: return "\(milliseconds)ms"
        case ..<60: return decimal(tenths: milliseconds / 100) + "s"
        case ..<3_600: return pair(seconds, 60, "m", 1, "s")
        case ..<86_400: return pair(seconds, 3_600, "h", 60, "m")
        default: return pair(seconds, 86_400, "d", 3_600, "h")
        }
    }

    /// Milliseconds with three digits after the point, which is whole microseconds.
    package static func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration.wholeNanoseconds / 1_000
        let rest = String(microseconds % 1_000)
        return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// `97.3%`; a dash where there is no ratio.
    package static func ratio(_ ratio: Double?) -> String {
        guard let ratio else { return none }
        return decimal(tenths: UInt64((ratio * 1_000).rounded())) + "%"
    }

    /// `1 key`, `2 keys`.
    package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// `1 key`, `1 234 567 keys`.
    package static func count(
        _ number: UInt64, _ noun: String, _ plural: String? = nil
    ) -> String {
        "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// A share of 0 to 1 as a bar, in eighths of a character; all of it is `width` characters.
    package static func bar(_ share: Double, width: Int) -> String {
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let eighths = Int((share * Double(width * 8)).rounded())
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }

    private static func decimal(tenths: UInt64) -> String {
        tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func pair(
        _ seconds: UInt64, _ large: UInt64, _ name: String, _ small: UInt64, _ smallName: String
    ) -> String {
        let rest = seconds % large / small
        return "\(seconds / large)\(name)" + (rest == 0 ? "" : "\(rest)\(smallName)")
    }
}

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
