/// One request as it was drawn.
public struct WorkloadRequest: Hashable, Sendable {
    @usableFromInline package let kind: OperationKind
    /// The number of its key, of the first one for a scan. ``KeyName`` writes it.
    @usableFromInline package let key: Int
    /// The number of the next key of a scan is greater by this.
    @usableFromInline package let keyStep: Int
    /// How many keys it asks for: 1 for all but scans.
    @usableFromInline package let keyCount: Int
    @usableFromInline package let keyBytes: Int
    /// Bytes of the value that it stores; of the one that belongs to the key, if it stores none.
    @usableFromInline package let valueBytes: Int

    @inlinable
    package init(
        _ kind: OperationKind, keys: (first: Int, step: Int, count: Int), keyBytes: Int,
        valueBytes: Int
    ) {
        self.kind = kind
        key = keys.first
        keyStep = keys.step
        keyCount = keys.count
        self.keyBytes = keyBytes
        self.valueBytes = valueBytes
    }
}
