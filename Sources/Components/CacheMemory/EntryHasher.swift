import ByteCoding

/// The hash of a (namespace, key), for all parts of the tier.
package struct EntryHasher {
    let hasher: KeyHasher

    @inline(__always)
    package func hash(_ key: UnsafeRawBufferPointer, in namespace: NamespaceNumber) -> KeyHash {
        KeyHash(hasher.hash(key, room: UInt64(namespace.rawValue)))
    }

    func hash(_ entry: Entry) -> KeyHash { hash(entry.key, in: entry.namespace) }
}

/// The seeded hash of (namespace, key), the lookup key inside one process.
///
/// Its top bits choose the bucket, its lowest sixteen are the tag in the bucket's slot. Computed
/// once per key and turn. Never stored outside of the process, never sent.
public struct KeyHash: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
}
