import ByteCoding
package import CacheModel

/// A key with its namespace, as both rules of ownership see it. The bytes are borrowed.
package struct RoutedKey {
    private let namespace: UnsafeRawBufferPointer
    private let key: UnsafeRawBufferPointer

    /// - Parameter namespace: its name.
    package init(_ key: UnsafeRawBufferPointer, in namespace: UnsafeRawBufferPointer) {
        (self.key, self.namespace) = (key, namespace)
    }

    /// The hash by which members of a cluster share the keys.
    ///
    /// - Complexity: O(bytes).
    package var route: UInt64 { StableHash.route(namespace, key) }

    /// The slot by which the log assigns it.
    ///
    /// - Complexity: O(bytes of the key).
    package var slot: HashSlot { HashSlot(of: key) }
}
