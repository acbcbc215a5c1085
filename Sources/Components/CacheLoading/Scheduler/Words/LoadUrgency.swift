/// The urgency of a load.
///
/// Law of order – the most urgent first:
///
///     awaited < refresh < prefetch
package enum LoadUrgency: UInt8, CaseIterable, Comparable, Sendable {
    /// Readers wait for it.
    case awaited = 0
    /// No reader waits: readers got the held value, and this load refreshes it in the background.
    case refresh = 1
    /// No reader waits yet. It is fetched in advance, and is never worth a retry.
    case prefetch = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
