import CacheModel

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

/// How people write a bound of entries: a whole number, or `none`. The file and the command line
/// share it.
package enum EntriesMaxText {
    /// The number that `text` says for all shards of a node together; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no such number, or leaves a shard without an entry.
    package static func parse(_ text: String, shards: Int) throws(TextProblem) -> Int? {
        if text == "none" { return nil }
        let range = shards...ConfigurationLimits.entriesMax
        do throws(TextProblem) {
            return try CountText.parse(text, in: range)
        } catch {
            let each = shards > 1 ? ", at least one for each of \(shards) shards" : ""
            throw TextProblem("\(error.sentence), or none\(each)")
        }
    }
}

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

/// How people write which part of all operations is sampled: `1/1000`, or `off`.
package enum SampleText {
    /// - Returns: of how many operations one is sampled; `nil`: none is.
    /// - Throws: a sentence if `text` says neither.
    package static func parse(_ text: String) throws(TextProblem) -> Int? {
        guard text != "off" else { return nil }
        let digits = text.utf8.dropFirst(2)
        guard text.hasPrefix("1/"), (1...10).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let every = Int(String(decoding: digits, as: UTF8.self)),
            ConfigurationLimits.sampleEvery.contains(every)
        else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is no sample; give 1/N, such as 1/1000, with N up to "
                    + "1000000000, or off")
        }
        return every
    }

    package static func format(_ every: Int?) -> String { every.map { "1/\($0)" } ?? "off" }
}

/// How people write a weight: digits, and at most three after a point. It travels in thousandths.
package enum WeightText {
    /// - Throws: a sentence if `text` is no weight that travels unchanged.
    package static func parse(_ text: String) throws(TextProblem) -> Double {
        let range = ConfigurationLimits.weight
        let isPlain = text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
        }
        if let weight = Double(text), weight <= 0 {
            throw TextProblem(
                "\(TextProblem.quote(text)) gives the node no keys; "
                    + "give a weight above 0, or remove the node")
        }
        guard isPlain, let weight = Double(text) else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is not a weight; give a number such as 1 or 0.5")
        }
        guard range.contains(weight) else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is out of range; give 0.001 to 1000000")
        }
        let thousandths = (weight * 1_000).rounded()
        guard thousandths / 1_000 == weight else {
            throw TextProblem(
                "\(TextProblem.quote(text)) has more than three digits after the point; "
                    + "write \(thousandths / 1_000)")
        }
        return weight
    }

    package static func thousandths(_ weight: Double) -> UInt32 {
        UInt32((weight * 1_000).rounded())
    }

    package static func format(thousandths: UInt32) -> String {
        DecimalText.format(Double(thousandths) / 1_000)
    }
}
