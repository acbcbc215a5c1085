import CacheModel

/// Formats numbers for people: the same in a terminal and in a report.
package enum FigureForm {
    /// Text for a missing number.
    package static let none = "–"
    /// Between digits, and between a number and its unit: a line never breaks there.
    static let narrowSpace = "\u{202F}"

    /// 1234567 as 1 234 567.
    package static func grouped(_ value: UInt64, separator: String = " ") -> String {
        value.grouped(separator: separator)
    }

    /// Nanoseconds to three digits with a unit: `850 ns`, `1.84 µs`, `18.4 ms`, `184 s`.
    package static func latency(_ nanoseconds: UInt64?, separator: String = " ") -> String {
        guard let nanoseconds else { return none }
        let units = ["ns", "µs", "ms", "s"]
        var value = Double(nanoseconds)
        var unit = 0
        while value >= 999.5, unit + 1 < units.count {
            value /= 1_000
            unit += 1
        }
        let digits = unit == 0 ? String(nanoseconds) : threeDigits(value)
        return digits + separator + units[unit]
    }

    /// A count to at most three digits: `17`, `18.4 k`, `2.5 M`.
    package static func short(_ value: Double?, separator: String = " ") -> String {
        guard var value else { return none }
        let units = ["", "k", "M", "G", "T"]
        var unit = 0
        while value >= 999.5, unit + 1 < units.count {
            value /= 1_000
            unit += 1
        }
        let digits = plain(Double(threeDigits(value)) ?? value)
        return unit == 0 ? digits : digits + separator + units[unit]
    }

    /// A rate as a whole number; small rates have decimals.
    package static func rate(_ perSecond: Double?, separator: String = " ") -> String {
        guard let perSecond, perSecond.isFinite else { return none }
        if perSecond < 99.95 { return threeDigits(perSecond) }
        return grouped(UInt64(min(perSecond.rounded(), 1e18)), separator: separator)
    }

    /// A share of 0 to 1 as `97.31 %`. Only all is written as `100.00 %`, and only nothing as `0.00
    /// %`.
    package static func share(_ share: Double?, separator: String = " ") -> String {
        guard let share else { return none }
        let percent = share * 100
        if percent > 0, percent < 0.005 { return "< 0.01" + separator + "%" }
        if percent < 100, percent > 99.995 { return "> 99.99" + separator + "%" }
        return decimal(percent, digits: 2) + separator + "%"
    }

    /// `60.0 s`, `2.50 s`.
    package static func seconds(_ seconds: Double, separator: String = " ") -> String {
        (seconds < 1_000 ? threeDigits(seconds) : grouped(UInt64(seconds), separator: separator))
            + separator + "s"
    }

    /// `50`, `99.9`, `0.5`: as many digits as it has.
    package static func plain(_ value: Double) -> String {
        let text = decimal(value, digits: 6)
        let trimmed = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(trimmed.reversed())
    }

    /// Three significant digits: `1.84`, `18.4`, `184`; a small whole number stays whole.
    package static func threeDigits(_ value: Double) -> String {
        if value < 1_000, value == value.rounded() { return String(Int(value)) }
        if value < 9.995 { return decimal(value, digits: 2) }
        if value < 99.95 { return decimal(value, digits: 1) }
        return decimal(value, digits: 0)
    }

    /// `value` rounded to so many decimals, in any locale.
    ///
    /// - Parameter value: 0 or more.
    package static func decimal(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
        guard value >= 0, value * scale < 1e18 else { return none }
        let whole = UInt64((value * scale).rounded())
        if digits == 0 { return String(whole) }
        let rest = String(whole % UInt64(scale))
        return "\(whole / UInt64(scale))."
            + String(repeating: "0", count: digits - rest.count) + rest
    }
}
