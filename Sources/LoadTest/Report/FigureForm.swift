import CacheModel

/// How figures are written for people: the same in a terminal and in a report.
package enum FigureForm {
    /// What stands where there is no figure.
    package static let none = "–"
    /// Between digits, and between a number and its unit: never broken at the end of a line.
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

    /// A rate in whole numbers, with digits after the point only where there is little else.
    package static func rate(_ perSecond: Double?, separator: String = " ") -> String {
        guard let perSecond, perSecond.isFinite else { return none }
        if perSecond < 99.95 { return threeDigits(perSecond) }
        return grouped(UInt64(min(perSecond.rounded(), 1e18)), separator: separator)
    }

    /// A share of 0 to 1 as `97.31 %`. What is not all is never written as `100.00 %`, and what is
    /// something never as `0.00 %`.
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

    /// Three digits that count: `1.84`, `18.4`, `184`; a whole small number stays whole.
    package static func threeDigits(_ value: Double) -> String {
        if value < 1_000, value == value.rounded() { return String(Int(value)) }
        if value < 9.995 { return decimal(value, digits: 2) }
        if value < 99.95 { return decimal(value, digits: 1) }
        return decimal(value, digits: 0)
    }

    /// `value` rounded to so many digits after a point, whatever the language of the machine.
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
