package import CacheModel

/// A key with different values at a node and at its origin, at two looks.
package struct OriginDifference: Hashable, Sendable {
    package let key: WatchedKey
    package let node: NodeID
    /// At the second look.
    package let comparison: OriginComparison
    /// Time between the two looks.
    package let span: Duration
}
