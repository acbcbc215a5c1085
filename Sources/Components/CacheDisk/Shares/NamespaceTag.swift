/// A short hash of a namespace's name, in otherwise unused bits of footer entries and parts: bits
/// 49 to 63 of a word. docs/disk-format.md specifies it.
///
/// It tells after a restart how much of the ring a namespace uses. Two namespaces collide with a
/// chance of 1 in 32 768.
struct NamespaceTag: Hashable {
    private static let shift: UInt64 = 49
    /// Its bits of a word.
    static let mask: UInt64 = .max << shift

    /// For a record without a namespace, and every record of format 3.
    static let unknown = NamespaceTag(rawValue: 0)

    /// Below 2^15.
    let rawValue: UInt16

    private init(rawValue: UInt16) { self.rawValue = rawValue }

    /// - Parameter room: the hash of the name, see ``FingerprintHasher/room(of:)``.
    init(room: UInt64) { rawValue = max(1, UInt16(room >> Self.shift)) }

    /// The tag in a word that was read.
    init(in word: UInt64) { rawValue = UInt16(word >> Self.shift) }

    /// Its bits in position for a word.
    var bits: UInt64 { UInt64(rawValue) << Self.shift }
}
