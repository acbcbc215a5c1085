import CacheModel

/// Keys that were named before, so that none is named twice.
///
/// Bounded: once it is full it remembers no more keys, and a key that it does not remember counts
/// as new each time.
struct NamedKeys: Sendable {
    private let keysMax: Int
    private let bytesMax: Int
    private var keys: Set<CacheKey> = []
    private var byteCount = 0
    /// Whether keys may have counted as new more than once.
    private(set) var isFull = false

    init(
        keysMax: Int = ClientLimits.namedKeysMax, bytesMax: Int = ClientLimits.namedBytesMax
    ) {
        self.keysMax = keysMax
        self.bytesMax = bytesMax
    }

    /// - Returns: whether it is new, as far as is remembered.
    mutating func insert(_ key: CacheKey) -> Bool {
        guard !keys.contains(key) else { return false }
        guard keys.count < keysMax, byteCount + key.bytes.count <= bytesMax else {
            isFull = true
            return true
        }
        keys.insert(key)
        byteCount += key.bytes.count
        return true
    }
}
