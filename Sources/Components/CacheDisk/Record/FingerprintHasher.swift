import ByteCoding

/// Computes a tier's fingerprints: seeded, so that no client can choose colliding keys, and from
/// the namespace's name, because its number changes with the process.
package struct FingerprintHasher: Sendable {
    private let hasher: KeyHasher

    package init(seed: UInt64) { hasher = KeyHasher(seed: seed) }

    /// - Complexity: O(bytes).
    package func fingerprint(
        of key: UnsafeRawBufferPointer, in namespace: UnsafeRawBufferPointer
    ) -> Fingerprint {
        fingerprint(of: key, in: room(of: namespace))
    }

    /// The hash of a namespace's name, to be reused.
    package func room(of namespace: UnsafeRawBufferPointer) -> UInt64 {
        namespace.isEmpty ? 0 : hasher.hash(namespace, room: 0)
    }

    package func fingerprint(of key: UnsafeRawBufferPointer, in room: UInt64) -> Fingerprint {
        Fingerprint(hash: hasher.hash(key, room: room))
    }
}
