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
