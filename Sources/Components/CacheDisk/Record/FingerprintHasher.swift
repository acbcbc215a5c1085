import ByteCoding

/// How a tier's fingerprints are made: seeded, so that no client can choose keys that share one,
/// and by the namespace's name, because its number is another in the next process.
package struct FingerprintHasher: Sendable {
    private let hasher: KeyHasher

    package init(seed: UInt64) { hasher = KeyHasher(seed: seed) }

    /// - Complexity: O(bytes).
    package func fingerprint(
        of key: UnsafeRawBufferPointer, in namespace: UnsafeRawBufferPointer
    ) -> Fingerprint {
        fingerprint(of: key, in: room(of: namespace))
    }

    /// What stands for a namespace, where it is used more than once.
    package func room(of namespace: UnsafeRawBufferPointer) -> UInt64 {
        namespace.isEmpty ? 0 : hasher.hash(namespace, room: 0)
    }

    package func fingerprint(of key: UnsafeRawBufferPointer, in room: UInt64) -> Fingerprint {
        Fingerprint(hash: hasher.hash(key, room: room))
    }
}
