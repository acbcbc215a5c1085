/// A short hash of a namespace's name, in the bits of footer entries and parts that nothing else
/// uses: bits 49 to 63 of a word. docs/disk-format.md has it.
///
/// It tells after a restart what a namespace takes of the ring. Two namespaces share one with a
/// chance of 1 in 32 768.
struct NamespaceTag: Hashable {
    private static let shift: UInt64 = 49
    /// Its bits in a word.
    static let mask: UInt64 = .max << shift

    /// Of a record without a namespace, and of every record of format 3.
    static let unknown = NamespaceTag(rawValue: 0)

    /// Below 2^15.
    let rawValue: UInt16

    private init(rawValue: UInt16) { self.rawValue = rawValue }

    /// - Parameter room: the hash of the name, as ``FingerprintHasher/room(of:)`` has it.
    init(room: UInt64) { rawValue = max(1, UInt16(room >> Self.shift)) }

    /// The tag in a word that was read.
    init(in word: UInt64) { rawValue = UInt16(word >> Self.shift) }

    /// Its bits at their place in a word.
    var bits: UInt64 { UInt64(rawValue) << Self.shift }
}
