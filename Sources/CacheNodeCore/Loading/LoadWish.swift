import CacheMemory
import CacheModel

/// One operation of a GET that cannot be answered before the origin was asked.
struct LoadWish {
    var operation: Int
    var hash: KeyHash
    var key: UnsafeRawBufferPointer
    /// What is held may answer if the origin does not, or not soon.
    var fallsBack: Bool
    /// Only a load that begins from now on will do.
    var wantsNew: Bool
}
