/// One drawn request.
public struct WorkloadRequest: Hashable, Sendable {
    @usableFromInline package let kind: OperationKind
    /// The number of its key, or of the first key of a scan. ``KeyName`` writes it.
    @usableFromInline package let key: Int
    /// The step from one key of a scan to the next.
    @usableFromInline package let keyStep: Int
    /// How many keys it requests: 1 for all kinds but scans.
    @usableFromInline package let keyCount: Int
    @usableFromInline package let keyBytes: Int
    /// Bytes of the value that it stores; if it stores none, of its key's value.
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
