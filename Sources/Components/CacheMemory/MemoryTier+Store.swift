package import CacheModel

extension MemoryTier {
    /// Stores the candidate if its token and version allow, after making space.
    ///
    /// - Returns: the effect, or why nothing was stored: `outOfRange`, `tooLarge`, `olderVersion`,
    ///   `tokenTooOld`, `invalidatedMeanwhile`, `full`, or `leaseVoid` for a token from elsewhere
    ///   when something at least as new is resident.
    /// - Complexity: O(bytes) and amortised O(1) evictions and moves.
    package mutating func store(
        _ candidate: StoreCandidate, now: Instant
    ) -> Result<StoreEffect, StoreRefusal> {
        defer { entries.checkInvariants() }
        let resident = visible(
            candidate.hash, namespace: candidate.namespace, key: candidate.key, now: now)
        if let refusal = refusal(of: candidate, resident: resident) {
            entries.counters.count(refusal)
            return .failure(refusal)
        }
        // Its version has been compared. The guest uses no space that another entry could have.
        entries.dismissGuest()
        if resident == nil { entries.prepare(candidate) }
        guard let entry = entries.written(candidate, now: now) else {
            let refusal: StoreRefusal = entries.index.count == 0 ? .tooLarge : .full
            entries.counters.count(refusal)
            return .failure(refusal)
        }
        // Making space may have evicted the resident entry.
        let replaced = entries.index.find(
            candidate.hash, namespace: candidate.namespace, key: candidate.key)
        entries.place(entry, candidate.hash, over: replaced)
        entries.counters.sums.stores &+= 1
        return .success(
            StoreEffect(replaced: resident != nil, costBytes: entries.weights.weight(of: entry)))
    }

    /// Why the candidate may not be stored over `resident`; `nil` if it may.
    func refusal(of candidate: StoreCandidate, resident: Entry?) -> StoreRefusal? {
        guard candidate.isInRange else { return .outOfRange }
        guard !entries.isTooLarge(candidate) else { return .tooLarge }
        guard isNewerVersion(candidate, than: resident) else { return .olderVersion }
        if candidate.isFenced, entries.floors.guards.isOn(.tokenCheck),
            let refusal = entries.floors.refusal(ofFenced: candidate)
        {
            return refusal
        }
        if candidate.replacesOnlyOlderFill, let resident, resident.fill >= candidate.fill {
            return .leaseVoid
        }
        return nil
    }

    /// The writer's order: a version must be at least the key's version floor, and exceed the
    /// resident one. A value without a version is outside of that order.
    ///
    /// One exception: over a *soft* entry, and over a loaded one that may be past its lifetime, a
    /// fenced value of the same version is admitted. It is the same value, read again since;
    /// refusing it would leave the entry stale for good.
    private func isNewerVersion(_ candidate: StoreCandidate, than resident: Entry?) -> Bool {
        let version = candidate.version
        guard version > .none else { return true }
        if version < entries.floors.keyFloor(of: candidate.hash).minimumVersion { return false }
        guard let resident else { return true }
        if version == resident.version {
            return candidate.isFenced
                && (resident.flags.contains(.soft) || resident.isOnTerms)
        }
        return version > resident.version
    }

    /// Whether no floor that covers the candidate is above its fill stamp, with or without a token:
    /// for a past stamp, it tells whether an invalidation has arrived since.
    package func isUncovered(_ candidate: StoreCandidate) -> Bool {
        var fenced = candidate
        fenced.isFenced = true
        return entries.floors.refusal(ofFenced: fenced) == nil
    }

    /// The stamp of the newest invalidation of a key by its name, or one that stands for those that
    /// are not known any more.
    package func keyFloor(of hash: KeyHash) -> FillStamp {
        max(entries.floors.keyFloor(of: hash).highest, entries.floors.tokenBase)
    }
}
