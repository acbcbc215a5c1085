package import CacheModel

extension MemoryTier {
    /// Calls `body` with every visible entry of the next `bucketLimit` buckets, and its charged
    /// bytes.
    ///
    /// The cursor is a position in the order of bit-reversed hashes, which is stable under growth
    /// of the index: a key that is present from the first call to the last is reported exactly
    /// once.
    ///
    /// - Parameter cursor: 0 to begin; then what the last call returned.
    /// - Returns: the next cursor, or `nil` at the end.
    package mutating func scan(
        from cursor: UInt64, bucketLimit: Int, now: Instant,
        _ body: (_ entry: EntryView, _ costBytes: Int) -> Void
    ) -> UInt64? {
        precondition(bucketLimit > 0, "the bucket limit is positive")
        var next: UInt64? = cursor
        for _ in 0..<bucketLimit {
            guard let position = next else { break }
            entries.collect(bucket: entries.index.homeNumber(at: position))
            // Buckets may have been joined since: those before the cursor were already reported.
            for entry in entries.scratch
            where !entries.index.isBefore(entry, cursor: position)
                && entries.floors.check(entry, now: now) == .visible
            {
                body(entries.view(of: entry), entries.weights.memory(block: entry.blockBytes))
            }
            next = entries.index.cursor(after: position)
        }
        return next
    }
}

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
        case .tag(let namespace, let tag): return entries.floors.count(of: tag, in: namespace)
        case .prefix: return nil
        case .namespace(let namespace): return entries.floors.count(of: namespace)
        case .everything: return entries.floors.countOfEverything
        }
    }

    private func countKey(
        _ namespace: NamespaceNumber, _ hash: KeyHash, _ key: UnsafeRawBufferPointer,
        _ minimumVersion: Version?, now: Instant
    ) -> ScopeCount {
        guard let entry = entries.index.find(hash, namespace: namespace, key: key),
            entries.floors.check(entry, now: now) == .visible
        else { return ScopeCount() }
        if let minimumVersion, minimumVersion > .none, entry.version >= minimumVersion {
            return ScopeCount()
        }
        return ScopeCount(entryCount: 1, bytes: entries.weights.weight(of: entry))
    }
}

/// The state of one key, for diagnosis of why it is served or not.
package struct EntryAccount {
    /// The entry, even if hidden; `nil` if there is none.
    package var entry: EntryView?
    package var standing: MemoryTier.Standing?
    /// Every raised floor that covers the key, and an entry's tags. Without an entry, of tags only
    /// the floor that removed the last entry, if remembered.
    package var floors: [CoveringFloor]
    /// Tokens below it are refused.
    package var tokenBase: FillStamp
}

extension MemoryTier {
    /// Reports the state of `key` without side effects: nothing is counted, moved or removed.
    ///
    /// - Complexity: O(tags + lengths of prefixes).
    package mutating func explain(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryAccount {
        let found = entries.index.find(hash, namespace: namespace, key: key)
        var account = EntryAccount(
            floors: entries.floors.covering(hash, key, in: namespace, found),
            tokenBase: entries.floors.tokenBase)
        if let found {
            account.standing = entries.floors.check(found, now: now)
            account.entry = entries.view(of: found)
        } else {
            entries.floors.addGone(hash, namespace, to: &account.floors)
        }
        return account
    }
}
