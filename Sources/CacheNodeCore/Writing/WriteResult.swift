import CacheLoading
import CacheModel

/// What one operation of a message of writes came to.
enum WriteResult: Sendable {
    case answered(WriteAnswer)
    /// The origin was not told.
    case refused(StoreRefusal)
}
