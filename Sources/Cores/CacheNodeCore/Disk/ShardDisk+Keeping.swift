import CacheDisk
import CacheMemory
import CacheModel

/// What memory evicts, and how an entry in memory is told to the disk.
///
///     stored ──▶ room in its namespace's share, segments free? ──yes──▶ append
///                    │ no: remove what is there; memory alone has the key's value now
///                    ▼
///     evicted ─▶ is its fingerprint there? ──yes──▶ it is this very entry: nothing to do
///                    │ no
///                    ▼
///                room in its namespace's share? ─▶ DiskAdmission ─▶ append
///
/// That a record found there is the entry in memory follows from the law that every store, renewal
/// and touch either appends or removes. Where two keys share a fingerprint it is the other key's,
/// and the evicted entry is lost to the disk: a miss, never a wrong value.
extension ShardDisk: EvictedEntryKeeper {
    func keep(_ view: EntryView, _ hash: KeyHash, now: Instant) {
        guard isOpen, namespaces.isNamed(view.namespace) else { return }
        let fingerprint = fingerprint(of: view.key, in: view.namespace)
        guard !tier.holds(fingerprint) else { return admission.noteClean() }
        guard let entry = entry(of: view, now: now),
            !declines(entry, fingerprint, in: view.namespace, isStore: false)
        else { return }
        let verdict = admission.judge(
            hash.rawValue, bytes: entry.recordBytes, isRoomFree: tier.hasFreeSegments,
            at: clock.time(at: now))
        guard case .admitted = verdict else { return }
        append(entry, in: view.namespace, fingerprint)
    }

    /// An entry of memory as it is to lie on disk, all but the name of its namespace.
    ///
    /// - Returns: `nil` if it cannot be said whole, or is not to be shown as fresh.
    func entry(of view: EntryView, now: Instant) -> DiskEntry? {
        guard !view.isSoft, view.fill.epochOrdinal == epochOrdinal else { return nil }
        var entry = DiskEntry(key: view.key, value: view.value)
        view.forEachTag { entry.tags.append($0) }
        guard entry.tags.count == view.tagCount else { return nil }
        entry.version = view.version.rawValue
        entry.validator = view.validation
        entry.representation = view.representation
        entry.expires = view.expiresAt.map { clock.time(at: $0) }
        entry.stored = clock.time(at: now, lessAge: view.age(at: now))
        entry.fill = view.fill.sequence.rawValue
        entry.isUnfenced = view.isUnfenced
        return entry
    }

    /// Begins to count requests before the ring has gone round, and goes on with a larger sketch
    /// where memory and disk have come to hold many more than it is for.
    func prepareAdmission(memoryEntryCount: Int) {
        guard isOpen, tier.isNearlyFull else { return }
        admission.prepare(entryCount: max(1, tier.entryCountExpected + memoryEntryCount))
    }
}
