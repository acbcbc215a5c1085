package import CacheModel

extension MemoryTier {
    /// How many entries an invalidation of `scope` would hide, from counters.
    ///
    /// What a hard invalidation of the same scope hides already is not counted. What has expired,
    /// or is hidden by another scope, is counted until it is taken out.
    ///
    /// - Returns: `nil` for a prefix: of those there is no counter.
    /// - Complexity: O(1) in the number of entries.
    package func count(_ scope: TierScope, now: Instant) -> ScopeCount? {
        switch scope {
        case .key(let namespace, let hash, let key, let minimumVersion):
            return countKey(namespace, hash, key, minimumVersion, now: now)
        case .tag(let namespace, let tag): return floors.count(of: tag, in: namespace)
        case .prefix: return nil
        case .namespace(let namespace): return floors.count(of: namespace)
        case .everything: return floors.countOfEverything
        }
    }

    private func countKey(
        _ namespace: NamespaceNumber, _ hash: KeyHash, _ key: UnsafeRawBufferPointer,
        _ minimumVersion: Version?, now: Instant
    ) -> ScopeCount {
        guard let entry = index.find(hash, namespace: namespace, key: key),
            check(entry, now: now) == .visible
        else { return ScopeCount() }
        if let minimumVersion, minimumVersion > .none, entry.version >= minimumVersion {
            return ScopeCount()
        }
        return ScopeCount(entryCount: 1, bytes: weights.weight(of: entry))
    }
}
