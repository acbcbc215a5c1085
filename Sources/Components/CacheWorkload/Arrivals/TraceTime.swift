/// The unit of a trace's first column.
package enum TraceTime: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// How many digits a whole unit has in nanoseconds, less one.
    private var digits: Int {
        switch self {
        case .seconds: 9
        case .milliseconds: 6
        case .microseconds: 3
        case .nanoseconds: 0
        }
    }

    /// Converts a number such as `17`, `-0.25` or `1.6e9` to nanoseconds; fractions of one are
    /// dropped.
    ///
    /// - Returns: `nil` if `text` is not a number, or too large.
    /// - Complexity: O(bytes).
    package func nanoseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let number = DecimalNumber(text) else { return nil }
        return number.scaled(byTenTo: digits)
    }
}
