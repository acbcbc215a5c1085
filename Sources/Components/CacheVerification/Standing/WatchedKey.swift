package import CacheModel
import ByteCoding

/// A key in its namespace.
package struct WatchedKey: Hashable, Sendable {
    package let key: CacheKey
    package let namespace: Namespace

    package init(_ key: CacheKey, in namespace: Namespace) {
        self.key = key
        self.namespace = namespace
    }

    /// Whether a scope covers the key, by its name; a tag covers it if it is one of `tags`.
    func isCovered(by scope: Scope, tags: [Tag]) -> Bool {
        if let range = scope.hashRange, !range.contains(routeHash) { return false }
        return switch scope.target {
        case .key(let key, let namespace): key == self.key && namespace == self.namespace
        case .tag(let tag, let namespace): namespace == self.namespace && tags.contains(tag)
        case .prefix(let prefix, let namespace):
            namespace == self.namespace && key.bytes.starts(with: prefix)
        case .namespace(let namespace): namespace == self.namespace
        case .everything: true
        }
    }

    private var routeHash: UInt64 {
        Array(namespace.name.utf8).withUnsafeBytes { name in
            key.bytes.withUnsafeBytes { StableHash.route(name, $0) }
        }
    }
}
