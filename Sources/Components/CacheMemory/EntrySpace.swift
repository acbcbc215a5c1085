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
