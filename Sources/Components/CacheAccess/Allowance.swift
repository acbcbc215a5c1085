/// How much the holder of a key may ask of one shard, or of the publisher. Each of them counts for
/// itself.
public struct Allowance: Hashable, Sendable {
    /// Keys, scopes and other questions in a second, above zero; `nil`: as many as it wants.
    public var operationsPerSecond: Int?
    /// Bytes of requests and of what is answered at once, in a second, above zero; `nil`: as many
    /// as it wants.
    public var bytesPerSecond: Int?
    /// Requests that wait at one time, above zero; `nil`: half of the room that there is.
    public var waitingMax: Int?

    public static let unlimited = Allowance()

    /// Whether there is a rate to hold it to.
    public var hasRates: Bool { operationsPerSecond != nil || bytesPerSecond != nil }

    init() {}

    /// Whether a word of an entry is about how much, wherever it stands: it has a `=`, and not
    /// behind a `/`, as the beginning of keys may.
    static func isWord(_ word: Substring) -> Bool {
        word.firstIndex(of: "=").map { !word[..<$0].contains("/") } ?? false
    }

    /// Reads such words: `ops=5000/s bytes=20MiB/s waiting=500`.
    init(_ words: [Substring]) throws(AccessListProblem.Reason) {
        for word in words {
            let shown = AccessName.shown(word)
            let name = word.prefix { $0 != "=" }
            let amount = word.dropFirst(name.count + 1)
            switch name {
            case "ops": try Self.set(&operationsPerSecond, Self.rate(amount, units: [:]), shown)
            case "bytes": try Self.set(&bytesPerSecond, Self.rate(amount, units: Self.sizes), shown)
            case "waiting": try Self.set(&waitingMax, Self.number(amount, units: [:]), shown)
            default: throw .allowance(shown)
            }
        }
    }

    /// Greatest number that may be written: a bucket counts nanoseconds.
    static let amountMax = 1_000_000_000_000
    private static let sizes = ["B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]

    private static func set(
        _ field: inout Int?, _ amount: Int?, _ shown: String
    ) throws(AccessListProblem.Reason) {
        guard let amount else { throw .allowance(shown) }
        guard field == nil else { throw .allowanceTwice(shown) }
        field = amount
    }

    private static func rate(_ text: Substring, units: [String: Int]) -> Int? {
        text.hasSuffix("/s") ? number(text.dropLast(2), units: units) : nil
    }

    /// A whole number above zero, and its unit where there are some.
    private static func number(_ text: Substring, units: [String: Int]) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = String(text[digits.endIndex...])
        let scale = units.isEmpty && unit.isEmpty ? 1 : units[unit]
        guard let number = Int(digits), let scale else { return nil }
        let (amount, overflow) = number.multipliedReportingOverflow(by: scale)
        return !overflow && (1...amountMax).contains(amount) ? amount : nil
    }
}
