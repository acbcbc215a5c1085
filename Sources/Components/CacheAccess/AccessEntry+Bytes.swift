/// The same checks on bytes in place, as a message has them. They run for each message, and for
/// each of its keys if the holder may see a part only. Nothing is copied, and generic code is
/// specialized for these bytes here, as another module could not do.
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
