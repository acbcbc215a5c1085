import CacheLoading
import CacheModel

/// Keys that a shard must not answer from its entries: they have accepted writes that the cache
/// does not contain.
struct HeldKeys {
    /// Until they are released.
    private var keys: Set<LoadKey> = []
    /// Until that position is applied here.
    private var leaving: [LoadKey: LogPosition] = [:]

    @inline(__always)
    var isEmpty: Bool { keys.isEmpty && leaving.isEmpty }

    mutating func hold(_ key: LoadKey) {
        keys.insert(key)
        leaving[key] = nil
    }

    /// The last of its writes is over, and its invalidation is published at that position.
    mutating func release(_ key: LoadKey, at position: LogPosition) {
        guard keys.remove(key) != nil else { return }
        leaving[key] = position
    }

    /// - Complexity: O(keys that leave).
    mutating func noteApplied(_ applied: LogPosition) {
        guard !leaving.isEmpty else { return }
        leaving = leaving.filter { $0.value > applied }
    }

    func contains(_ key: LoadKey) -> Bool { keys.contains(key) || leaving[key] != nil }
}
