/// The range of addresses in which a shard's entries lie, and the way from reference to entry.
///
/// A bare address: copying it copies nothing. Whoever owns the range outlives it.
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
