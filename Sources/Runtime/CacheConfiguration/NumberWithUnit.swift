/// A whole number and the letters after it: `64MiB`, `250ms`.
struct NumberWithUnit {
    let number: UInt64
    /// Empty if there is none.
    let unit: String

    /// - Returns: `nil` unless `text` is digits, then ASCII letters, and the number fits.
    init?(_ text: String) {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let letters = text.utf8.dropFirst(digits.count)
        guard letters.allSatisfy(Self.isLetter), let number = UInt64(Substring(digits)) else {
            return nil
        }
        self.number = number
        unit = String(Substring(letters))
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The number in the smallest unit, of which the one written is worth `scale`.
    ///
    /// - Returns: `nil` if that does not fit.
    func scaled(by scale: UInt64) -> Int64? {
        let (product, overflow) = number.multipliedReportingOverflow(by: scale)
        return overflow ? nil : Int64(exactly: product)
    }
}

/// Which of our units a foreign one stands for: `sec` is `s`, `Mb` is `MB`.
enum UnitGuess {
    private static let times: [(unit: String, names: [String])] = [
        ("us", ["usec", "usecs", "micros", "microsecond", "microseconds"]),
        ("ms", ["msec", "msecs", "millis", "millisecond", "milliseconds"]),
        ("s", ["sec", "secs", "second", "seconds"]),
        ("m", ["min", "mins", "minute", "minutes"]),
        ("h", ["hr", "hrs", "hour", "hours"]),
        ("d", ["day", "days"]),
    ]
    private static let sizes: [(unit: String, names: [String])] = [
        ("B", ["byte", "bytes"]), ("KiB", ["k", "ki"]), ("MiB", ["m", "mi", "meg", "megs"]),
        ("GiB", ["g", "gi", "gig", "gigs"]), ("TiB", ["t", "ti"]),
        ("KB", []), ("MB", []), ("GB", []), ("TB", []),
    ]

    /// ` (did you mean 5s?)` for `5sec`; empty where there is nothing to guess.
    static func time(_ text: String) -> String { guess(text, times) }

    /// ` (did you mean 64MiB?)` for `64M`; empty where there is nothing to guess.
    static func size(_ text: String) -> String { guess(text, sizes) }

    private static func guess(
        _ text: String, _ known: [(unit: String, names: [String])]
    ) -> String {
        guard let parts = NumberWithUnit(text) else { return "" }
        let word = parts.unit.lowercased()
        let meant = known.first { $0.unit.lowercased() == word || $0.names.contains(word) }
        return meant.map { " (did you mean \(parts.number)\($0.unit)?)" } ?? ""
    }
}
