/// Who waits for a load.
///
/// Law of order – the most urgent first:
///
///     awaited < refresh < prefetch
package enum LoadUrgency: UInt8, CaseIterable, Comparable, Sendable {
    /// Readers.
    case awaited = 0
    /// Nobody: they were answered with what was there, and it is loaded anew behind them.
    case refresh = 1
    /// Nobody yet. It is fetched ahead of need, and is never worth a retry.
    case prefetch = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
