/// How people write a size: `100B`, `64KiB`, `64MiB`, `1GiB`, `1TiB`, and decimal `64MB`.
///
/// A whole number and one unit, nothing between. The file and the command line share it.
package enum ByteSizeText {
    /// Those that ``format(_:)`` uses first, the largest first; worth in bytes.
    private static let units: [(name: String, bytes: UInt64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000),
        ("kB", 1_000),
    ]

    /// The bytes that `text` says.
    ///
    /// - Throws: a sentence if `text` is no size, or more than can be counted.
    package static func parse(_ text: String) throws(TextProblem) -> Int {
        guard let parts = NumberWithUnit(text) else { throw unreadable(text) }
        if parts.unit.isEmpty {
            throw TextProblem(
                "\(TextProblem.quote(text)) has no unit; write \(parts.number)B if bytes are meant")
        }
        guard let unit = units.first(where: { $0.name == parts.unit }) else {
            throw unreadable(text)
        }
        guard let bytes = parts.scaled(by: unit.bytes) else {
            throw TextProblem("\(TextProblem.quote(text)) is more than can be counted")
        }
        return Int(bytes)
    }

    /// As ``parse(_:)``, and within `range`.
    package static func parse(
        _ text: String, in range: ClosedRange<Int>
    ) throws(TextProblem) -> Int {
        let bytes = try parse(text)
        guard range.contains(bytes) else {
            let fault = bytes < range.lowerBound ? "small" : "large"
            throw TextProblem(
                "\(TextProblem.quote(text)) is too \(fault); "
                    + "give \(format(range.lowerBound)) to \(format(range.upperBound))")
        }
        return bytes
    }

    /// As ``parse(_:in:)``, with `none` for `nil`.
    package static func parseOptional(
        _ text: String, in range: ClosedRange<Int>
    ) throws(TextProblem) -> Int? {
        try OptionalText.parse(text) { text throws(TextProblem) in try parse(text, in: range) }
    }

    /// As ``format(_:)``; `nil` is `none`.
    package static func formatOptional(_ bytes: Int?) -> String { bytes.map(format) ?? "none" }

    /// `bytes` in the largest binary unit that says it exactly. Traps if `bytes` is negative.
    package static func format(_ bytes: Int) -> String {
        precondition(bytes >= 0, "a size is not negative")
        for unit in units where bytes > 0 && UInt64(bytes).isMultiple(of: unit.bytes) {
            return "\(UInt64(bytes) / unit.bytes)\(unit.name)"
        }
        return "0B"
    }

    private static func unreadable(_ text: String) -> TextProblem {
        TextProblem(
            "\(TextProblem.quote(text)) is not a size\(UnitGuess.size(text)); write a whole number "
                + "and its unit, such as 100B, 64KiB, 256MiB or 1GiB")
    }
}
