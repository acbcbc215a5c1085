package import CacheModel

/// What a value is kept under.
package struct NearKey: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey

    package init(_ key: CacheKey, in namespace: Namespace) {
        self.namespace = namespace
        self.key = key
    }
}
