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
