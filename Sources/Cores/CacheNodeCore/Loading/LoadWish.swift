import CacheLoading
import CacheMemory
import CacheModel

/// One operation of a GET that cannot be answered before the origin was asked.
struct LoadWish {
    var operation: Int
    var hash: KeyHash
    var key: UnsafeRawBufferPointer
    /// The held entry may be served if the origin does not answer, or not soon.
    var fallsBack: Bool
    /// The required freshness; `.new`: only a load that begins now or later suffices.
    var freshness = LoadFreshness.any
    /// Its urgency for the asker.
    var urgency = LoadUrgency.awaited
    /// The held entry would be fresh with a lease: the load begins at most once a second.
    var isRevalidation = false
    /// Another node waits for it.
    var isForPeer = false
}
