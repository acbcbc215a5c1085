/// How people write a length of time: `250us`, `250ms`, `5s`, `10m`, `24h`, `7d`, `none`.
///
/// A whole number and one unit, nothing between. The file and the command line share it.
package enum DurationText {
    /// Longest unit first; worth in microseconds.
    private static let units: [(name: String, microseconds: UInt64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000),
        ("ms", 1_000), ("us", 1),
    ]

    /// The length of time that `text` says.
    ///
    /// - Throws: a sentence if `text` is none, or longer than can be counted.
    package static func parse(_ text: String) throws(TextProblem) -> Duration {
        guard let parts = NumberWithUnit(text) else { throw unreadable(text) }
        if parts.unit.isEmpty {
            throw TextProblem(
                "\(TextProblem.quote(text)) has no unit; "
                    + "write \(parts.number)s if seconds are meant"
            )
        }
        guard let unit = units.first(where: { $0.name == parts.unit }) else {
            throw unreadable(text)
        }
        guard let microseconds = parts.scaled(by: unit.microseconds) else {
            throw TextProblem("\(TextProblem.quote(text)) is longer than can be counted")
        }
        return .microseconds(microseconds)
    }

    /// As ``parse(_:)``, and within `range`.
    package static func parse(
        _ text: String, in range: ClosedRange<Duration>
    ) throws(TextProblem) -> Duration {
        let duration = try parse(text)
        guard range.contains(duration) else {
            let fault = duration < range.lowerBound ? "short" : "long"
            throw TextProblem(
                "\(TextProblem.quote(text)) is too \(fault); "
                    + "give \(format(range.lowerBound)) to \(format(range.upperBound))")
        }
        return duration
    }

    /// As ``parse(_:in:)``, with `none` for `nil`.
    package static func parseOptional(
        _ text: String, in range: ClosedRange<Duration>
    ) throws(TextProblem) -> Duration? {
        try OptionalText.parse(text) { text throws(TextProblem) in try parse(text, in: range) }
    }

    /// `duration` in the longest unit that says it exactly; `nil` is `none`.
    ///
    /// Parts of a microsecond are left out. Traps if `duration` is negative.
    package static func format(_ duration: Duration?) -> String {
        guard let duration else { return "none" }
        precondition(duration >= .zero, "a length of time is not negative")
        let (seconds, attoseconds) = duration.components
        let microseconds =
            UInt128(seconds) * 1_000_000 + UInt128(attoseconds / 1_000_000_000_000)
        if microseconds == 0 { return "0s" }
        for unit in units where microseconds.isMultiple(of: UInt128(unit.microseconds)) {
            return "\(microseconds / UInt128(unit.microseconds))\(unit.name)"
        }
        preconditionFailure("every number is a multiple of the last unit")
    }

    private static func unreadable(_ text: String) -> TextProblem {
        TextProblem(
            "\(TextProblem.quote(text)) is not a length of time\(UnitGuess.time(text)); write a "
                + "whole number and its unit, such as 250ms, 5s, 10m, 24h or 7d")
    }
}
