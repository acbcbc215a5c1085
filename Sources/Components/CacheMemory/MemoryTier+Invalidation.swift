package import CacheModel

extension MemoryTier {
    /// Obeys one scope of a record at `stamp`.
    ///
    /// A key's entry is removed or marked at once. For any other scope one floor rises, and
    /// entries obey when they are next met; the sweep gives their room back.
    ///
    /// - Complexity: O(1) in the number of entries.
    package mutating func apply(
        _ scope: TierScope, strength: InvalidationRecord.Strength, at stamp: FillStamp,
        now: Instant
    ) {
        defer { checkInvariants() }
        // Nothing can have been filled below the first stamp there is.
        guard stamp > .none else { return }
        prepareRise()
        switch scope {
        case .key(let namespace, let hash, let key, let minimumVersion):
            floors.raiseKey(hash, to: stamp, minimumVersion: minimumVersion)
            guard let entry = index.find(hash, namespace: namespace, key: key),
                isCovered(entry, below: stamp, minimumVersion: minimumVersion)
            else { return }
            switch strength {
            case .hard: remove(entry, cause: .invalidated)
            case .soft: entry.soften(since: now)
            }
        case .tag(let namespace, let tag):
            let count = floors.raiseTag(
                tag, in: namespace, strength: strength, to: stamp, now: now)
            if strength == .hard { noteHidden(count, now: now) }
        case .prefix(let namespace, let prefix):
            floors.raisePrefix(prefix, in: namespace, strength: strength, to: stamp, now: now)
            if strength == .hard { noteHidden(index.count, now: now) }
        case .namespace(let namespace):
            floors.raiseNamespace(namespace, strength: strength, to: stamp, now: now)
            if strength == .hard { noteHidden(index.count, now: now) }
        case .everything:
            floors.raiseEverything(strength: strength, to: stamp, now: now)
            if strength == .hard { noteHidden(index.count, now: now) }
        }
    }

    /// Keys have other owners from `stamp` on: hides what was filled below it of every key that was
    /// not this shard's before, or is not any more. It is gone; but if the owners are not known, an
    /// entry with an ETag or a version is withheld until it is renewed.
    ///
    /// - Parameter keeps: whether the key of a route hash was and stays this shard's; `nil`: not
    ///   known of any.
    /// - Complexity: O(1) in the number of entries.
    package mutating func move(
        at stamp: FillStamp, now: Instant, keeping keeps: (@Sendable (UInt64) -> Bool)?
    ) {
        guard stamp > .none else { return }
        prepareRise()
        floors.move(to: stamp, keeping: keeps)
        noteHidden(index.count, now: now)
        checkInvariants()
    }

    /// Asks for what ``apply(_:strength:at:now:)`` is going to look at for a key: its floor and its
    /// bucket.
    package func prefetchInvalidation(_ hash: KeyHash) {
        floors.prefetchKey(hash)
        index.prefetchBucket(hash)
    }

    /// Hides everything filled below `stamp`, because what happened up to there is unknown: an
    /// unrecoverable gap, or another epoch. An entry with an ETag or a version is withheld until it
    /// is renewed; any other leaves as `forgotten` when it is met or swept. No token below `stamp`
    /// is trusted any more.
    ///
    /// - Parameter isPending: somebody may yet tell what was touched. Until
    ///   ``settleQuarantine(_:)`` everything is kept, hidden.
    package mutating func quarantineEverything(at stamp: FillStamp, isPending: Bool = false) {
        guard guards.isOn(.quarantine) else { return }
        prepareRise()
        floors.quarantine(to: stamp, isPending: isPending)
        checkInvariants()
    }

    /// Somebody has told what was touched meanwhile, or nobody will: entries that the amnesty
    /// covers are as good as filled where the quarantine stands; with the others it is as if it
    /// had never been pending.
    ///
    /// - Complexity: O(1) in the number of entries.
    package mutating func settleQuarantine(_ amnesty: Amnesty?) {
        guard floors.quarantine.isPending else { return }
        prepareRise()
        floors.settleQuarantine(amnesty)
        checkInvariants()
    }

    private func isCovered(
        _ entry: Entry, below stamp: FillStamp, minimumVersion: Version?
    ) -> Bool {
        guard entry.fill < stamp else { return false }
        guard let minimumVersion, minimumVersion > .none else { return true }
        return entry.version < minimumVersion
    }

    /// Once in four thousand million rises the ordinals begin anew: every entry counts as never
    /// checked, so that none can be taken for checked by a number that came round.
    mutating func prepareRise() {
        guard floors.isOrdinalExhausted else { return }
        floors.restartOrdinals()
        sweeping.forgetRound()
        for number in 0..<index.bucketCount {
            collect(bucket: number)
            for entry in scratch where !entry.flags.contains(.soft) { entry.checkedAt = .never }
        }
    }
}
