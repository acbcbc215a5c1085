import CacheModel

/// The scopes of a run of records, one after the other, a little ahead of those that are obeyed:
/// so that the memory of several keys is on its way at the same time.
struct ScopesAhead {
    private let records: [SealedRecord]
    private var record = 0
    private var scope = 0

    init(of records: [SealedRecord]) { self.records = records }

    /// The key of the next scope; `nil` where that names none, or nothing is left.
    mutating func nextKey() -> (key: CacheKey, namespace: Namespace)? {
        while record < records.count {
            let scopes = records[record].record.scopes
            guard scope < scopes.count else {
                (record, scope) = (record + 1, 0)
                continue
            }
            defer { scope += 1 }
            guard case .key(let key, let namespace) = scopes[scope].target else { return nil }
            return (key, namespace)
        }
        return nil
    }
}
