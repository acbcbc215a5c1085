package import CacheModel

/// The outcome of a request for a comparison.
package enum OriginAnswer: Hashable, Sendable {
    case compared(OriginComparison)
    /// The node's release does not support comparisons, or its namespace no longer has an origin.
    case unsupported
    case unanswered
}
