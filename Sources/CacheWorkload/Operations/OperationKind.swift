/// What a request does. The raw value is its name in files and flags.
public enum OperationKind: String, CaseIterable, Sendable {
    case get
    /// Stores a value under a key that is there, or was.
    case set
    /// Stores a value under a key that never was.
    case insert
    case delete
    /// Orders an invalidation from the publisher.
    case invalidate
    /// A get, and after its answer a set of the same key; one operation that takes both times.
    case readModifyWrite = "read-modify-write"
    /// A get of several keys in a row; one operation that takes until the last answer.
    case scan

    /// Whether it changes what a key holds or may hold, so that only the key's owner does it.
    @inlinable
    package var changesKey: Bool {
        switch self {
        case .get, .scan: false
        case .set, .insert, .delete, .invalidate, .readModifyWrite: true
        }
    }

    /// Whether it sends a value.
    @inlinable
    package var storesValue: Bool {
        switch self {
        case .set, .insert, .readModifyWrite: true
        case .get, .scan, .delete, .invalidate: false
        }
    }
}
