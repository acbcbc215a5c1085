/// The same questions about bytes where they lie, as a message has them. They are asked for each
/// message, and for each of its keys of those who may see a part: nothing is copied, and what is
/// generic is made for these bytes here, as another module could not.
extension AccessEntry {
    /// Whether the holder has one of `wanted` for every key of a namespace.
    package func may(
        _ wanted: AccessRights, inAllOf namespace: UnsafeRawBufferPointer
    ) -> Bool {
        guard !rights.isDisjoint(with: wanted) else { return false }
        return patterns.contains { $0.coversAll(of: namespace) }
    }

    /// Whether the holder has one of `wanted` for every key that begins with these bytes.
    package func may(
        _ wanted: AccessRights, keysBeginning bytes: UnsafeRawBufferPointer,
        in namespace: UnsafeRawBufferPointer
    ) -> Bool {
        guard !rights.isDisjoint(with: wanted) else { return false }
        return patterns.contains { $0.covers(keysBeginning: bytes, in: namespace) }
    }
}
