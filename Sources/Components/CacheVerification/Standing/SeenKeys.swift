import CacheModel

/// Keys that were seen, with their tags: the keys to sample when a scope wider than a key is
/// invalidated. Bounded: a new key replaces the oldest.
struct SeenKeys: Sendable {
    private var keys: [WatchedKey] = []
    private var tags: [WatchedKey: [Tag]] = [:]
    private var next = 0
    /// Start of the next search, so that it does not always find the same keys.
    private var start = 0

    var count: Int { keys.count }

    /// - Parameter newTags: `nil` if unknown; then the known tags stay.
    mutating func note(_ key: WatchedKey, tags newTags: [Tag]?) {
        if tags[key] != nil {
            if let newTags { tags[key] = newTags }
            return
        }
        if keys.count < StandingLimits.seenKeysMax {
            keys.append(key)
        } else {
            tags[keys[next]] = nil
            keys[next] = key
            next = (next + 1) % keys.count
        }
        tags[key] = newTags ?? []
    }

    /// The next key that satisfies a condition.
    ///
    /// - Complexity: O(1): at most ``StandingLimits/seenKeysTried`` are tried.
    mutating func next(where isWanted: (WatchedKey) -> Bool) -> WatchedKey? {
        for _ in 0..<min(keys.count, StandingLimits.seenKeysTried) {
            start = (start + 1) % keys.count
            if isWanted(keys[start]) { return keys[start] }
        }
        return nil
    }

    /// A few keys that a scope covers.
    ///
    /// - Complexity: O(1): at most ``StandingLimits/seenKeysTried`` are tried.
    mutating func some(coveredBy scope: Scope) -> [WatchedKey] {
        guard !keys.isEmpty else { return [] }
        var found: [WatchedKey] = []
        for _ in 0..<min(keys.count, StandingLimits.seenKeysTried) {
            start = (start + 1) % keys.count
            let key = keys[start]
            guard key.isCovered(by: scope, tags: tags[key] ?? []) else { continue }
            found.append(key)
            if found.count == StandingLimits.samplesPerCover { break }
        }
        return found
    }
}
