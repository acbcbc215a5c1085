import CacheModel
import CacheWire

/// An invalidation that a writer wants done, until it has a receipt for it.
struct Intent {
    let number: Int
    let request: InvalidateRequest
    var askedCount = 0
    var receipt: Receipt?
    /// The last one, after which everybody must have obeyed everything.
    var isFinal = false
}
