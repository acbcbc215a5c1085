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
