import ByteCoding
package import CacheModel

/// The scopes that a log has touched since some position, according to a floor snapshot: a scope
/// that is not in it was not touched; one that is in it may have been.
///
/// Keys and tags are in it by the bucket of a stable hash; the rest by name.
package struct TouchedScopes: Hashable, Sendable {
    package private(set) var isEverything = false
    package private(set) var namespaces: Set<Namespace> = []
    package private(set) var prefixes: [Namespace: [[UInt8]]] = [:]
    /// A bit per bucket.
    private var bits = [UInt64](repeating: 0, count: FloorBuckets.count / 64)

    package init() {}

    package mutating func insertEverything() { isEverything = true }

    package mutating func insert(_ namespace: Namespace) { namespaces.insert(namespace) }

    package mutating func insert(prefix: [UInt8], in namespace: Namespace) {
        prefixes[namespace, default: []].append(prefix)
    }

    /// - Parameter bucket: of ``ByteCoding/FloorBuckets``.
    package mutating func insert(bucket: Int) {
        bits[bucket / 64] |= 1 << UInt64(bucket % 64)
    }

    /// The union.
    ///
    /// - Complexity: O(buckets + names).
    package func union(_ other: TouchedScopes) -> TouchedScopes {
        var union = self
        union.isEverything = isEverything || other.isEverything
        union.namespaces.formUnion(other.namespaces)
        union.prefixes.merge(other.prefixes) { Array(Set($0).union($1)) }
        for index in bits.indices { union.bits[index] |= other.bits[index] }
        return union
    }

    func contains(bucket: Int) -> Bool {
        bits[bucket / 64] & 1 << UInt64(bucket % 64) != 0
    }
}
