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
        switch self {
        case .get: OperationKind.get.rawValue
        case .set: OperationKind.set.rawValue
        case .insert: OperationKind.insert.rawValue
        case .delete: OperationKind.delete.rawValue
        case .invalidate: OperationKind.invalidate.rawValue
        case .readModifyWrite: OperationKind.readModifyWrite.rawValue
        case .scan: OperationKind.scan.rawValue
        case .fill: "fill"
        }
    }
}
