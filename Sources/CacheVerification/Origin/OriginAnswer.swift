package import CacheModel

/// What came of asking a node to compare.
package enum OriginAnswer: Hashable, Sendable {
    case compared(OriginComparison)
    /// The node is of a release that does not compare, or its namespace has lost its origin.
    case unsupported
    case unanswered
}
