/// How one operation ended.
struct Ending: Equatable {
    let kind: MeasuredKind
    /// When it was due; of many keys, the first of them.
    var dueAt: UInt64
    /// Whether it was done; of many keys, any of them.
    var isGood: Bool
    /// Whether a receipt of the publisher ended it.
    var isInvalidation = false
    /// Whether it belongs to no request of the load, which then does not last until it ends.
    var isAside = false

    init(_ kind: MeasuredKind, dueAt: UInt64, isGood: Bool) {
        self.kind = kind
        self.dueAt = dueAt
        self.isGood = isGood
    }
}
