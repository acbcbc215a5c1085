/// The end of one operation.
struct Ending: Equatable {
    let kind: MeasuredKind
    /// When it was due; for several keys, the earliest of them.
    var dueAt: UInt64
    /// Whether it was done; for several keys, any of them.
    var isGood: Bool
    /// Whether a receipt of the publisher ended it.
    var isInvalidation = false
    /// Whether it belongs to no request of the load; the load does not wait for it.
    var isAside = false

    init(_ kind: MeasuredKind, dueAt: UInt64, isGood: Bool) {
        self.kind = kind
        self.dueAt = dueAt
        self.isGood = isGood
    }
}
