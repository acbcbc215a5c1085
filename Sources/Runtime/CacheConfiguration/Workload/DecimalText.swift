import CacheWorkload

/// How people write a share or a factor: digits, and at most six after a point.
enum DecimalText {
    private static let millionth = 1_000_000.0

    /// - Parameter thing: what it is, for a sentence: `a weight`.
    /// - Throws: a sentence if `text` is no such number within `range`.
    static func parse(
        _ text: String, _ thing: String, in range: ClosedRange<Double>
    ) throws(TextProblem) -> Double {
        let limits = "\(format(range.lowerBound)) to \(format(range.upperBound))"
        let isPlain = text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
        }
        guard isPlain, let number = Double(text) else {
            throw TextProblem("\(TextProblem.quote(text)) is not \(thing); give \(limits)")
        }
        guard range.contains(number) else {
            let fault = number < range.lowerBound ? "small" : "large"
            throw TextProblem(
                "\(TextProblem.quote(text)) is too \(fault) for \(thing); give \(limits)")
        }
        guard (number * millionth).rounded() / millionth == number else {
            throw TextProblem(
                "\(TextProblem.quote(text)) has more than six digits after the point; "
                    + "write \(format(number))")
        }
        return number
    }

    /// `number`, at least 0, with as many digits as it needs, and at most six after the point.
    static func format(_ number: Double) -> String {
        precondition(number >= 0 && number < 1e12, "a number that people would write")
        let millionths = UInt64((number * millionth).rounded())
        let whole = "\(millionths / 1_000_000)"
        let rest = millionths % 1_000_000
        guard rest > 0 else { return whole }
        let digits = String(String(1_000_000 + rest).dropFirst())
        let end = digits.utf8.lastIndex { $0 != UInt8(ascii: "0") } ?? digits.startIndex
        return "\(whole).\(digits[...end])"
    }
}

/// How people write how fast a trace is replayed: `1x` as it was recorded, `10x`, `0.5x`.
package enum TraceSpeedText {
    /// - Throws: a sentence if `text` is no speed.
    package static func parse(_ text: String) throws(TextProblem) -> Double {
        guard text.utf8.last == UInt8(ascii: "x") else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is not a speed; write 1x for as it was recorded, or "
                    + "such as 10x")
        }
        return try DecimalText.parse(
            String(text.dropLast()), "a speed", in: WorkloadLimits.traceSpeed)
    }

    package static func format(_ speed: Double) -> String { "\(DecimalText.format(speed))x" }
}
