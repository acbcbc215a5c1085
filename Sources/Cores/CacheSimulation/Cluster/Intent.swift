import CacheModel
import CacheWire

/// An invalidation of a writer, until it has a receipt for it.
struct Intent {
    let number: Int
    let request: InvalidateRequest
    var askedCount = 0
    var receipt: Receipt?
    /// The last invalidation, after which all nodes must have applied everything.
    var isFinal = false
}
