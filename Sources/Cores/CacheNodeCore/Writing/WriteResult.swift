import CacheLoading
import CacheModel

/// The result of one operation of a message of writes.
enum WriteResult: Sendable {
    case answered(WriteAnswer)
    /// The write was not sent to the origin.
    case refused(StoreRefusal)
}
