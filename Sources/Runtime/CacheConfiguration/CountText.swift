/// How people write a count: digits, nothing else.
enum CountText {
    /// - Throws: a sentence if `text` is no whole number within `range`.
    static func parse(_ text: String, in range: ClosedRange<Int>) throws(TextProblem) -> Int {
        guard let parts = NumberWithUnit(text), parts.unit.isEmpty else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is not a whole number; "
                    + "give \(range.lowerBound) to \(range.upperBound)")
        }
        guard let count = Int(exactly: parts.number), range.contains(count) else {
            let fault = parts.number < UInt64(range.lowerBound) ? "small" : "large"
            throw TextProblem(
                "\(parts.number) is too \(fault); give \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }
}
