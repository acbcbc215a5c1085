package import CacheModel

/// What became of an entry that came back from the disk.
package enum Promotion: Equatable, Sendable {
    case promoted
    /// There is no room for it, and nothing is evicted for it: it is there until
    /// ``MemoryTier/dismissGuest()``.
    case guest
    /// Something is resident under its key, which is no older.
    case resident
    /// It must not be seen any more.
    case over(RemovalCause)
    /// There is no room for it in memory.
    case refused
}

/// Entries that come back from the disk tier.
extension MemoryTier {
    /// Whether anything is resident under this key, visible or not: then nothing on disk is newer.
    package func isResident(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) -> Bool {
        index.find(hash, namespace: namespace, key: key) != nil
    }

    /// Takes in an entry that was stored earlier, with its fill, its tags and the rest of its life,
    /// and holds it against every floor there is. Floors that were retired since it was stored are
    /// the caller's to know.
    ///
    /// - Parameters:
    ///   - candidate: not fenced: nothing is proven but that it was admitted once. Its age counts
    ///     from then.
    ///   - isSoftened: a soft floor covers it. If none here knows since when, it is over.
    ///   - mayBeGuest: a request is answered right after, and then ``dismissGuest()`` called.
    /// - Complexity: as ``store(_:now:)``.
    package mutating func promote(
        _ candidate: StoreCandidate, isSoftened: Bool, mayBeGuest: Bool = false, now: Instant
    ) -> Promotion {
        defer { checkInvariants() }
        dismissGuest()
        precondition(!candidate.isFenced, "a promotion has no token")
        guard !isResident(candidate.hash, namespace: candidate.namespace, key: candidate.key)
        else { return .resident }
        if let end = candidate.expiresAt, end <= now { return .over(.expired) }
        guard candidate.isInRange,
            weights.weight(of: candidate) <= entryWeightMax(candidate.namespace)
        else { return .refused }
        policy.prepare(
            candidate.hash, weight: weights.weight(of: candidate), in: candidate.namespace)
        guard let entry = taken(candidate, mayBeGuest: mayBeGuest, now: now) else {
            return .refused
        }
        var cause = check(entry, now: now).removal
        if cause == nil, isSoftened, !entry.flags.contains(.soft) { cause = .invalidated }
        guard let cause else { return guest == nil ? .promoted : .guest }
        guest = nil
        remove(entry, cause: cause)
        return .over(cause)
    }

    private mutating func taken(
        _ candidate: StoreCandidate, mayBeGuest: Bool, now: Instant
    ) -> Entry? {
        guard let entry = written(candidate, now: now) else {
            return mayBeGuest ? admitGuest(candidate, now: now) : nil
        }
        place(entry, candidate.hash, over: nil)
        counters.promotions &+= 1
        return entry
    }
}
