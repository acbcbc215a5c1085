import CacheModel

extension MemoryTier {
    /// Why the candidate may not be stored over `resident`; `nil` if it may.
    func refusal(of candidate: StoreCandidate, resident: Entry?) -> StoreRefusal? {
        guard candidate.isInRange else { return .outOfRange }
        guard weights.weight(of: candidate) <= entryWeightMax(candidate.namespace) else {
            return .tooLarge
        }
        guard isNewerVersion(candidate, than: resident) else { return .olderVersion }
        if candidate.isFenced, guards.isOn(.tokenCheck),
            let refusal = floors.refusal(ofFenced: candidate)
        {
            return refusal
        }
        if candidate.replacesOnlyOlderFill, let resident,
            resident.fill >= candidate.fill
        {
            return .leaseVoid
        }
        return nil
    }

    /// Maximum weight of one entry of that namespace now.
    func entryWeightMax(_ namespace: NamespaceNumber) -> Int {
        let whole = eviction.quotas?.weightMax(of: namespace) ?? budget.inForce
        return max(1, Int(Double(whole) * limits.entryShareMax))
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
        if version < floors.keyFloor(of: candidate.hash).minimumVersion { return false }
        guard let resident else { return true }
        if version == resident.version {
            return candidate.isFenced
                && (resident.flags.contains(.soft) || resident.isOnTerms)
        }
        return version > resident.version
    }
}

extension MemoryTier {
    /// Whether no floor that covers the candidate is above its fill stamp, with or without a token:
    /// for a past stamp, it tells whether an invalidation has arrived since.
    package func isUncovered(_ candidate: StoreCandidate) -> Bool {
        var fenced = candidate
        fenced.isFenced = true
        return floors.refusal(ofFenced: fenced) == nil
    }
}
