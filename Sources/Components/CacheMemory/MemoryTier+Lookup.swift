package import CacheModel

extension MemoryTier {
    /// First pass of a turn: prefetches the line of the key's bucket. Mutating, as is the next,
    /// because a nonmutating call copies the tier, more than a kibibyte per key.
    package mutating func prefetchBucket(_ hash: KeyHash) {
        entries.index.prefetchBucket(hash)
    }

    /// Second pass of a turn: reads the bucket and prefetches the lines of the likeliest entry.
    package mutating func prefetchEntry(_ hash: KeyHash) {
        entries.index.prefetchEntry(hash)
    }

    /// The visible entry of `key`, counted as a hit or a miss.
    ///
    /// - Returns: `nil` if it is not resident or not visible. An entry that is expired, or hidden
    ///   by a hard floor or quarantine, is removed with its cause.
    package mutating func lookup(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryView? {
        guard let entry = visible(hash, namespace: namespace, key: key, now: now) else {
            entries.counters.sums.misses &+= 1
            if entries.eviction.tellsLookups { entries.eviction.policy.missed(hash, in: namespace) }
            return nil
        }
        entry.countHit()
        entries.counters.sums.hits &+= 1
        if entry.flags.contains(.soft) { entries.counters.sums.softHits &+= 1 }
        if entries.eviction.tellsLookups { entries.eviction.policy.hit(entry, hash) }
        return entries.view(of: entry)
    }

    /// The same without counting and without effect on eviction: to explain, scan or touch.
    package mutating func peek(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryView? {
        guard let entry = visible(hash, namespace: namespace, key: key, now: now) else {
            return nil
        }
        return entries.view(of: entry)
    }

    /// Gives a visible entry a new lifetime, and changes nothing else: an entry with terms keeps
    /// its windows.
    ///
    /// - Parameter expiresAt: `nil` for never.
    /// - Returns: `false` if there is none to touch.
    package mutating func touch(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer,
        expiresAt: Instant?, now: Instant
    ) -> Bool {
        guard let entry = visible(hash, namespace: namespace, key: key, now: now),
            !entries.view(of: entry).isPastLifetime(at: now)
        else { return false }
        entry.end = expiresAt.map { entry.end(freshUntil: $0) } ?? .never
        entries.expiry.noteEnd(of: entry, &entries.arena)
        return true
    }

    /// The entry of the key, if it is visible. An expired or hidden one is removed.
    @inline(__always)
    mutating func visible(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> Entry? {
        guard let entry = entries.index.find(hash, namespace: namespace, key: key),
            isVisible(entry, now: now)
        else { return nil }
        return entry
    }

    /// Whether the entry is visible now; removes it if not. The hot path is two comparisons.
    @inline(__always)
    mutating func isVisible(_ entry: Entry, now: Instant) -> Bool {
        if entry.checkedAt == entries.floors.ordinal, !entry.flags.contains(.soft),
            entry.end > EntryEnd(now)
        {
            return true
        }
        return isVisibleAfterCheck(entry, now: now)
    }

    @inline(never)
    private mutating func isVisibleAfterCheck(_ entry: Entry, now: Instant) -> Bool {
        switch entries.floors.check(entry, now: now) {
        case .visible: return true
        case .withheld: return false
        case .over(let cause):
            entries.remove(entry, cause: cause)
            entries.checkInvariants()
            return false
        }
    }

    /// The verdict of time and floors on an entry.
    package enum Standing: Equatable {
        case visible
        /// Hidden until the origin confirms it: it was quarantined, or has ended, or its key may
        /// have been another shard's.
        case withheld
        /// It must be removed.
        case over(RemovalCause)

        var removal: RemovalCause? { if case .over(let cause) = self { cause } else { nil } }
    }
}
