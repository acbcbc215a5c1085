package import CacheModel

/// A key of which a node shows something else than its origin has, at two looks.
package struct OriginDifference: Hashable, Sendable {
    package let key: WatchedKey
    package let node: NodeID
    /// At the second look.
    package let comparison: OriginComparison
    /// Between the two looks.
    package let span: Duration
}
