/// Where an entry lies in its shard's ``EntrySpace``: units of eight bytes from the beginning.
///
/// Four bytes instead of an address's eight, so 32 GiB can be named. Zero is no entry.
public struct EntryReference: Hashable, Sendable {
    @inlinable package static var none: EntryReference { EntryReference(rawValue: 0) }
    /// Bytes of a unit: every entry begins at a multiple of it.
    @inlinable package static var unitBytes: Int { 8 }
    /// Bytes that references can name.
    @inlinable package static var reachBytes: Int { unitBytes << 32 }

    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable package var isNone: Bool { rawValue == 0 }
}
