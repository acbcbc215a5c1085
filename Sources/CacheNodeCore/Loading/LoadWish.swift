import CacheLoading
import CacheMemory
import CacheModel

/// One operation of a GET that cannot be answered before the origin was asked.
struct LoadWish {
    var operation: Int
    var hash: KeyHash
    var key: UnsafeRawBufferPointer
    /// What is held may answer if the origin does not, or not soon.
    var fallsBack: Bool
    /// How new it has to be; `.new`: only a load that begins from now on will do.
    var freshness = LoadFreshness.any
    /// How urgent it is to whoever asks.
    var urgency = LoadUrgency.awaited
    /// What is held would be fresh with a lease: it begins at most once a second.
    var isRevalidation = false
    /// Another node waits for it.
    var isForPeer = false
}
