/// The address range of a shard's entries, which converts references to entries.
///
/// A bare address: copying it copies nothing. The range's owner outlives it.
struct EntrySpace {
    let base: UnsafeMutableRawPointer

    @inline(__always)
    func entry(_ reference: EntryReference) -> Entry {
        Entry(base + Int(reference.rawValue) &* EntryReference.unitBytes)
    }

    @inline(__always)
    func reference(_ entry: Entry) -> EntryReference {
        let offset = UnsafeRawPointer(entry.base) - UnsafeRawPointer(base)
        return EntryReference(
            rawValue: UInt32(truncatingIfNeeded: offset / EntryReference.unitBytes))
    }
}

/// Position of an entry in its shard's ``EntrySpace``: units of eight bytes from the start.
///
/// Four bytes instead of an address's eight; they reach 32 GiB. Zero is no entry.
public struct EntryReference: Hashable, Sendable {
    @inlinable package static var none: EntryReference { EntryReference(rawValue: 0) }
    /// Bytes of a unit: every entry starts at a multiple of it.
    @inlinable package static var unitBytes: Int { 8 }
    /// Bytes that references can reach.
    @inlinable package static var reachBytes: Int { unitBytes << 32 }

    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable package var isNone: Bool { rawValue == 0 }
}
