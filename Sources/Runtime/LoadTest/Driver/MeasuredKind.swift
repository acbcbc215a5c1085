import CacheWorkload

/// The kinds of operations with separate measurements.
enum MeasuredKind: UInt8, CaseIterable {
    case get, set, insert, delete, invalidate, readModifyWrite, scan
    /// Under `--verify`: storing the value for a miss.
    case fill

    static let count = allCases.count

    init(_ kind: OperationKind) {
        self =
            switch kind {
            case .get: .get
            case .set: .set
            case .insert: .insert
            case .delete: .delete
            case .invalidate: .invalidate
            case .readModifyWrite: .readModifyWrite
            case .scan: .scan
            }
    }

    /// The name in flags and reports.
    var name: String {
        self == .readModifyWrite ? OperationKind.readModifyWrite.rawValue : "\(self)"
    }
}

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

/// The sums over the keys of one message, if a message counts as an operation: one for each kind in
/// the message.
struct MessageSums {
    private var endings = [Ending?](repeating: nil, count: MeasuredKind.count)

    mutating func removeAll() {
        for place in endings.indices { endings[place] = nil }
    }

    /// Adds a key's end.
    mutating func add(_ ending: Ending) {
        let place = Int(ending.kind.rawValue)
        guard var sum = endings[place] else {
            endings[place] = ending
            return
        }
        sum.dueAt = min(sum.dueAt, ending.dueAt)
        sum.isGood = sum.isGood || ending.isGood
        sum.isAside = sum.isAside && ending.isAside
        endings[place] = sum
    }

    /// Removes and returns the sums of one kind; `nil` if none of its keys ended.
    mutating func take(_ kind: Int) -> Ending? {
        defer { endings[kind] = nil }
        return endings[kind]
    }
}
