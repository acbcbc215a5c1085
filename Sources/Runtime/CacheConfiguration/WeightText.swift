/// How people write a weight: digits, and at most three after a point.
enum WeightText {
    /// - Throws: a sentence if `text` is no weight that travels unchanged.
    static func parse(_ text: String) throws(TextProblem) -> Double {
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
}
