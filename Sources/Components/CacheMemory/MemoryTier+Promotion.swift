package import CacheModel

/// The result of a promotion from disk.
package enum Promotion: Equatable, Sendable {
    case promoted
    /// There is no space for it, and nothing is evicted for it: it is resident until
    /// ``EntryPool/dismissGuest()``.
    case guest
    /// An entry of its key that is no older is resident.
    case resident
    /// It must not be served any more.
    case over(RemovalCause)
    /// It does not fit in memory.
    case refused
}

extension MemoryTier {
    /// Whether an entry of this key is resident, visible or not: then nothing on disk is newer.
    package func isResident(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) -> Bool {
        entries.index.find(hash, namespace: namespace, key: key) != nil
    }

    /// Stores an entry from disk, with its fill, its tags and its remaining lifetime, and checks it
    /// against all floors. The caller has to check floors that were retired since it was first
    /// stored.
    ///
    /// - Parameters:
    ///   - candidate: not fenced: it is only known to have been admitted once. Its age counts from
    ///     then.
    ///   - isSoftened: a soft floor covers it. If none here has its time, the entry is expired.
    ///   - mayBeGuest: a request is answered immediately after this, followed by
    ///     ``EntryPool/dismissGuest()``.
    /// - Complexity: as ``store(_:now:)``.
    package mutating func promote(
        _ candidate: StoreCandidate, isSoftened: Bool, mayBeGuest: Bool = false, now: Instant
    ) -> Promotion {
        defer { entries.checkInvariants() }
        entries.dismissGuest()
        precondition(!candidate.isFenced, "a promotion has no token")
        guard !isResident(candidate.hash, namespace: candidate.namespace, key: candidate.key)
        else { return .resident }
        if let end = candidate.expiresAt, end <= now { return .over(.expired) }
        guard candidate.isInRange, !entries.isTooLarge(candidate) else { return .refused }
        entries.prepare(candidate)
        guard let entry = taken(candidate, mayBeGuest: mayBeGuest, now: now) else {
            return .refused
        }
        var cause = entries.floors.check(entry, now: now).removal
        if cause == nil, isSoftened, !entry.flags.contains(.soft) { cause = .invalidated }
        guard let cause else { return entries.guest == nil ? .promoted : .guest }
        entries.guest = nil
        entries.remove(entry, cause: cause)
        return .over(cause)
    }

    private mutating func taken(
        _ candidate: StoreCandidate, mayBeGuest: Bool, now: Instant
    ) -> Entry? {
        guard let entry = entries.written(candidate, now: now) else {
            return mayBeGuest ? entries.admitGuest(candidate, now: now) : nil
        }
        entries.place(entry, candidate.hash, over: nil)
        entries.counters.sums.promotions &+= 1
        return entry
    }
}
