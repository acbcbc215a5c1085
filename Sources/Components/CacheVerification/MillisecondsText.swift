/// Durations as text for histories.
enum MillisecondsText {
    /// Milliseconds with three decimals, such as `12.345 ms`.
    static func text(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let rest = String(microseconds % 1_000)
        let digits = String(repeating: "0", count: 3 - rest.count) + rest
        return "\(microseconds / 1_000).\(digits) ms"
    }
}
