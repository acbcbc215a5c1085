package import CacheModel

/// Paced invalidations: one range of route hashes after another.
extension MemoryTier {
    /// Sets the names of all namespaces, by number, which are part of route hashes. In an unnamed
    /// namespace a range covers every key.
    package mutating func nameNamespaces(_ names: [[UInt8]]) {
        floors.nameNamespaces(names)
    }

    /// Applies one scope of a record at `stamp` to the keys with a route hash in `range`.
    ///
    /// Above ``MemoryTierLimits/pacedScopesMax`` or ``MemoryTierLimits/pacedRangesMax`` the whole
    /// scope rises: that hides more, never less. A single key has no range and is invalidated as a
    /// whole.
    ///
    /// - Complexity: O(1) in the number of entries; O(log ranges) where ranges come in order.
    package mutating func apply(
        _ scope: TierScope, within range: ClosedRange<UInt64>,
        strength: InvalidationRecord.Strength, at stamp: FillStamp, now: Instant
    ) {
        guard stamp > .none else { return }
        prepareRise()
        guard let cover = cover(of: scope),
            floors.raise(cover, within: range, strength: strength, to: stamp, now: now)
        else { return apply(scope, strength: strength, at: stamp, now: now) }
        if strength == .hard {
            let width = range.upperBound - range.lowerBound
            let share = UInt64(index.count).multipliedFullWidth(by: width).high
            sweeping.noteHidden(Int(share), of: index.count, now: now)
        }
        checkInvariants()
    }

    private func cover(of scope: TierScope) -> PacedFloors.Cover? {
        switch scope {
        case .key: nil
        case .tag(let namespace, let tag): floors.cover(ofTag: tag, in: namespace)
        case .prefix(let namespace, let prefix): .prefix([UInt8](prefix), namespace)
        case .namespace(let namespace): .namespace(namespace)
        case .everything: .everything
        }
    }
}
