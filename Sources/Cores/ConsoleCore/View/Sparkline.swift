/// Values over time, one character each.
package enum Sparkline {
    private static let steps = Array("▁▂▃▄▅▆▇█")

    /// - Parameter most: the value of a full block; by default the greatest of `values`.
    /// - Returns: one character for each value; blank for `nil`.
    package static func text(_ values: [Double?], most: Double? = nil) -> String {
        let top = most ?? values.compactMap(\.self).max() ?? 0
        return String(
            values.map { value -> Character in
                guard let value else { return " " }
                guard top > 0, value > 0 else { return steps[0] }
                return steps[min(7, max(0, Int((value / top * 8).rounded(.up)) - 1))]
            })
    }
}
