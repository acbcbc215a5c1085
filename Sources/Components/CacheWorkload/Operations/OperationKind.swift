/// The operation of a request. The raw value is its name in files and flags.
public enum OperationKind: String, CaseIterable, Sendable {
    case get
    /// Stores a value under an existing or former key.
    case set
    /// Stores a value under a new key.
    case insert
    case delete
    /// Requests an invalidation from the publisher.
    case invalidate
    /// A get, and after its answer a set of the same key; one operation with both durations.
    case readModifyWrite = "read-modify-write"
    /// A get of several consecutive keys; one operation that lasts until the last answer.
    case scan

    /// Whether it changes the value of a key, or may: then only the key's owner sends it.
    @inlinable
    package var changesKey: Bool {
        switch self {
        case .get, .scan: false
        case .set, .insert, .delete, .invalidate, .readModifyWrite: true
        }
    }
}
