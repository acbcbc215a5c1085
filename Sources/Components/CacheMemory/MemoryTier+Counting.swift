package import CacheModel

extension MemoryTier {
    /// The number of entries that an invalidation of `scope` would hide, from counters.
    ///
    /// Entries hidden already by a hard invalidation of the same scope are not counted. Entries
    /// that have expired, or are hidden by another scope, are counted until they are removed.
    ///
    /// - Returns: `nil` for a prefix, which has no counter.
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
