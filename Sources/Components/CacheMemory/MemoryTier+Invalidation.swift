package import CacheModel

extension MemoryTier {
    /// Applies one scope of a record at `stamp`.
    ///
    /// A key's entry is removed or marked at once. For any other scope one floor rises, and entries
    /// are checked when they are next visited; the sweep frees their memory.
    ///
    /// - Complexity: O(1) in the number of entries.
    package mutating func apply(
        _ scope: TierScope, strength: InvalidationRecord.Strength, at stamp: FillStamp,
        now: Instant
    ) {
        defer { entries.checkInvariants() }
        // No value can have been filled below the first stamp.
        guard stamp > .none else { return }
        prepareRise()
        guard case .key(let namespace, let hash, let key, let minimumVersion) = scope else {
            let count = entries.floors.raise(scope, strength, to: stamp, now: now)
            if strength == .hard { noteHidden(count ?? entries.index.count, now: now) }
            return
        }
        entries.floors.raiseKey(hash, to: stamp, minimumVersion: minimumVersion)
        guard let entry = entries.index.find(hash, namespace: namespace, key: key),
            isCovered(entry, below: stamp, minimumVersion: minimumVersion)
        else { return }
        switch strength {
        case .hard: entries.remove(entry, cause: .invalidated)
        case .soft: entry.soften(since: now)
        }
    }

    mutating func noteHidden(_ count: Int, now: Instant) {
        sweeping.noteHidden(count, of: entries.index.count, now: now)
    }

    /// Keys have other owners from `stamp` on: hides values filled below it of every key that was
    /// not this shard's before, or is not any more. Their entries are removed; but if the owners
    /// are unknown, an entry with an ETag or a version is withheld until it is renewed.
    ///
    /// - Parameter keeps: whether a key was and stays this shard's; `nil`: unknown for all.
    /// - Complexity: O(1) in the number of entries.
    package mutating func move(
        at stamp: FillStamp, now: Instant, keeping keeps: (@Sendable (RoutedKey) -> Bool)?
    ) {
        guard stamp > .none, entries.floors.guards.isOn(.movedKeys) else { return }
        prepareRise()
        entries.floors.move(to: stamp, keeping: keeps)
        noteHidden(entries.index.count, now: now)
        entries.checkInvariants()
    }

    /// Refuses tokens below a stamp: later floors may have been raised at lower ones.
    package mutating func refuseTokens(below stamp: FillStamp) {
        entries.floors.refuseTokens(below: stamp)
    }

    /// Prefetches the floor and the bucket that ``apply(_:strength:at:now:)`` needs for a key.
    package func prefetchInvalidation(_ hash: KeyHash) {
        entries.floors.prefetchKey(hash)
        entries.index.prefetchBucket(hash)
    }

    /// Hides all values filled below `stamp`, because the history up to there is unknown: an
    /// unrecoverable gap, or another epoch. An entry with an ETag or a version is withheld until it
    /// is renewed; any other is removed as `forgotten` when it is visited or swept. No token below
    /// `stamp` is trusted any more.
    ///
    /// - Parameter isPending: the touched scopes may still become known. Until
    ///   ``settleQuarantine(_:)`` all entries are kept, hidden.
    package mutating func quarantineEverything(at stamp: FillStamp, isPending: Bool = false) {
        guard entries.floors.guards.isOn(.quarantine) else { return }
        prepareRise()
        entries.floors.quarantine(to: stamp, isPending: isPending)
        entries.checkInvariants()
    }

    /// Ends a pending quarantine: entries under the amnesty count as filled at the quarantine's
    /// stamp; the others as if it had never been pending.
    ///
    /// - Complexity: O(1) in the number of entries.
    package mutating func settleQuarantine(_ amnesty: Amnesty?) {
        guard entries.floors.quarantine.isPending else { return }
        prepareRise()
        entries.floors.settleQuarantine(amnesty)
        entries.checkInvariants()
    }

    private func isCovered(
        _ entry: Entry, below stamp: FillStamp, minimumVersion: Version?
    ) -> Bool {
        guard entry.fill < stamp else { return false }
        guard let minimumVersion, minimumVersion > .none else { return true }
        return entry.version < minimumVersion
    }

    /// After four thousand million rises the ordinals restart: every entry counts as never checked,
    /// so that a reused number cannot pass for a check.
    mutating func prepareRise() {
        guard entries.floors.isOrdinalExhausted else { return }
        entries.floors.restartOrdinals()
        sweeping.forgetRound()
        for number in 0..<entries.index.bucketCount {
            entries.collect(bucket: number)
            for entry in entries.scratch where !entry.flags.contains(.soft) {
                entry.checkedAt = .never
            }
        }
    }
}
