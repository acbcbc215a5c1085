package import CacheModel

extension MemoryTier {
    /// First pass of a turn: prefetches the line of the key's bucket. Mutating, as is the next,
    /// because a nonmutating call copies the tier, more than a kibibyte per key.
    package mutating func prefetchBucket(_ hash: KeyHash) {
        index.prefetchBucket(hash)
    }

    /// Second pass of a turn: reads the bucket and prefetches the lines of the likeliest entry.
    package mutating func prefetchEntry(_ hash: KeyHash) {
        index.prefetchEntry(hash)
    }

    /// The visible entry of `key`, counted as a hit or a miss.
    ///
    /// - Returns: `nil` if it is not resident or not visible. An entry that is expired, or hidden
    ///   by a hard floor or quarantine, is removed with its cause.
    package mutating func lookup(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryView? {
        guard let entry = index.find(hash, namespace: namespace, key: key),
            isVisible(entry, now: now)
        else {
            counters.misses &+= 1
            if tellsLookups { policy.missed(hash, in: namespace) }
            return nil
        }
        entry.countHit()
        counters.hits &+= 1
        if entry.flags.contains(.soft) { counters.softHits &+= 1 }
        if tellsLookups { policy.hit(entry, hash) }
        return view(of: entry)
    }

    /// The same without counting and without effect on eviction: to explain, scan or touch.
    package mutating func peek(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryView? {
        guard let entry = index.find(hash, namespace: namespace, key: key),
            isVisible(entry, now: now)
        else { return nil }
        return view(of: entry)
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
        guard let entry = index.find(hash, namespace: namespace, key: key),
            isVisible(entry, now: now), !view(of: entry).isPastLifetime(at: now)
        else { return false }
        entry.end = expiresAt.map { entry.end(freshUntil: $0) } ?? .never
        noteEnd(of: entry)
        return true
    }

    @inline(__always)
    func view(of entry: Entry) -> EntryView {
        EntryView(entry, tagNames: UnsafePointer(floors.tags.names))
    }

    /// Whether the entry is visible now; removes it if not. The hot path is two comparisons.
    @inline(__always)
    mutating func isVisible(_ entry: Entry, now: Instant) -> Bool {
        if entry.checkedAt == floors.ordinal, !entry.flags.contains(.soft),
            entry.end > EntryEnd(now)
        {
            return true
        }
        return isVisibleAfterCheck(entry, now: now)
    }

    @inline(never)
    private mutating func isVisibleAfterCheck(_ entry: Entry, now: Instant) -> Bool {
        switch check(entry, now: now) {
        case .visible: return true
        case .withheld: return false
        case .over(let cause):
            remove(entry, cause: cause)
            checkInvariants()
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

        /// The cause of its removal, if it must be removed.
        var removal: RemovalCause? { if case .over(let cause) = self { cause } else { nil } }
    }

    /// Checks the entry against time and every floor, and records the check. A soft entry, and a
    /// withheld one, is checked against the floors each time.
    func check(_ entry: Entry, now: Instant) -> Standing {
        let isSoft = entry.flags.contains(.soft)
        if isSoft || entry.checkedAt != floors.ordinal, guards.isOn(.floorCheck) {
            let verdict = floors.judge(entry)
            if verdict.isInvalidated {
                guard entry.isOnTerms, !guards.isOn(.hardWindows) else {
                    return .over(.invalidated)
                }
                entry.soften(since: now)
            }
            if entry.gone <= EntryEnd(now) { return .over(.expired) }
            // Also for a hidden entry: it may become visible again long after that floor is
            // retired.
            if let moment = verdict.softSince { entry.soften(since: moment) }
            if verdict.isOwnerUnknown { return withheld(entry, orOver: .invalidated) }
            if verdict.isQuarantined || entry.flags.contains(.withheld) {
                let standing = quarantined(entry)
                guard standing == .visible else { return standing }
            }
            if !entry.flags.contains(.soft) { entry.checkedAt = floors.ordinal }
        }
        let current = EntryEnd(now)
        if entry.end > current { return .visible }
        return entry.gone > current ? .withheld : .over(.expired)
    }
}
