/// Regular expressions for whole numbers with a greatest one: what a reader takes, and no more.
enum DecimalPattern {
    /// From 1 to `most`, without zeros before it.
    static func upTo(_ most: UInt64) -> String {
        let digits = Array(String(most).utf8)
        var choices: [String] = []
        if digits.count > 1 { choices.append("[1-9][0-9]{0,\(digits.count - 2)}") }
        for (place, digit) in digits.enumerated() {
            // As `most` begins, then a lesser digit, then any.
            let least: UInt8 = place == 0 ? 1 : 0
            let greatest = Int(digit) - 0x30 - 1
            guard greatest >= Int(least) else { continue }
            let head = String(decoding: digits[..<place], as: UTF8.self)
            let rest = digits.count - place - 1
            choices.append("\(head)[\(least)-\(greatest)]" + (rest > 0 ? "[0-9]{\(rest)}" : ""))
        }
        choices.append(String(most))
        return "(?:" + choices.joined(separator: "|") + ")"
    }

    /// From 0 to `most`, zeros before it or not.
    static func atMost(_ most: UInt64) -> String { "0*(?:0|\(upTo(most)))" }
}
