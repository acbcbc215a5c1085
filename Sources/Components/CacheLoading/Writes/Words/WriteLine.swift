package import CacheModel

/// The unit of write order: the writes of one key.
package struct WriteLine: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey

    package init(namespace: Namespace, key: CacheKey) {
        self.namespace = namespace
        self.key = key
    }
}
