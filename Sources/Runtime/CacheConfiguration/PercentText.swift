import CacheModel

/// How people write a share: a whole number and `%`.
enum PercentText {
    /// - Throws: a sentence if `text` is no whole percentage in `range`.
    static func parse(
        _ text: String, in range: ClosedRange<Int>
    ) throws(TextProblem) -> Percent {
        let digits = text.utf8.dropLast()
        guard text.utf8.last == UInt8(ascii: "%"), !digits.isEmpty, digits.count <= 9,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self))
        else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is not a share; give a whole number and %, "
                    + "such as \(min(max(10, range.lowerBound), range.upperBound))%")
        }
        guard range.contains(number), let percent = Percent(number) else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is out of range; "
                    + "give \(range.lowerBound)% to \(range.upperBound)%")
        }
        return percent
    }

    static func format(_ percent: Percent) -> String { "\(percent.hundredths)%" }
}
