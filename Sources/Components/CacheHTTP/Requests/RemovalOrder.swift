package import CacheModel

/// One key that is to be removed.
package struct RemovalOrder: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey
    package var conditions: Conditions
}
