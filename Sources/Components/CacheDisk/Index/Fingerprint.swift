/// The disk tier's short key: the upper 36 bits of a seeded hash of the key.
///
/// Two keys with one fingerprint are one key to the disk (docs/decisions/0033, choice 3). The width
/// is part of the file format and does not depend on the size of the index.
public struct Fingerprint: Hashable, Sendable {
    @usableFromInline package static let bitCount: UInt64 = 36

    /// Below 2^36.
    @usableFromInline package let rawValue: UInt64

    /// - Precondition: `rawValue` has 36 bits.
    @inlinable
    package init(rawValue: UInt64) {
        precondition(rawValue >> Self.bitCount == 0, "a fingerprint has 36 bits")
        self.rawValue = rawValue
    }

    /// The fingerprint of this hash.
    @inlinable
    package init(hash: UInt64) {
        rawValue = hash >> (64 - Self.bitCount)
    }
}

extension Fingerprint {
    /// The fingerprint of a reset, which has no key.
    package static let zero = Fingerprint(rawValue: 0)

    /// `nil` for an invalid fingerprint, as in a damaged file.
    init?(stored: UInt64) {
        guard stored >> Self.bitCount == 0 else { return nil }
        self.init(rawValue: stored)
    }
}
