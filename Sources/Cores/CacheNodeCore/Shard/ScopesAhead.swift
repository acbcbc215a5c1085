import CacheModel

/// Iterates over the scopes of a run of records, a little ahead of those being applied, so that the
/// memory of several keys is prefetched at the same time.
struct ScopesAhead {
    private let records: [SealedRecord]
    private var record = 0
    private var scope = 0

    init(of records: [SealedRecord]) { self.records = records }

    /// Advances to the next scope, and passes it to `body` if it is a plain key.
    ///
    /// - Parameter body: its bytes are valid within the call.
    @inline(__always)
    mutating func next(_ body: (UnsafeRawBufferPointer, Namespace) -> Void) {
        while record < records.count, scope == records[record].record.scopes.count {
            (record, scope) = (record + 1, 0)
        }
        guard record < records.count else { return }
        records[record].record.scopes.withItem(at: scope) { item in
            if case .key(let key, let namespace) = item { body(key, namespace) }
        }
        scope += 1
    }
}
