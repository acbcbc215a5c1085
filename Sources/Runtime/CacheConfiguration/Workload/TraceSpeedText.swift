import CacheWorkload

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
