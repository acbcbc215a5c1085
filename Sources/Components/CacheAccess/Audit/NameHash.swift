import ByteCoding

/// The hash that stands for a name under a secret key, so that a reader of the hashes cannot try
/// out names: a ``ByteCoding/SipHash``.
package struct NameHash: Hashable, Sendable {
    private let hash: SipHash

    /// - Parameters: the two halves of the key, drawn at random and kept nowhere.
    package init(key0: UInt64, key1: UInt64) {
        hash = SipHash(key0: key0, key1: key1)
    }

    /// - Complexity: O(bytes), about a nanosecond a byte.
    package func hash(_ name: [UInt8]) -> UInt64 { hash.hash(name) }
}
