package import CacheModel

/// Entries that nobody can vouch for, and the origin's word that they still hold.
///
/// A quarantined entry with an ETag or a version is kept, hidden. It is marked, so that it stays
/// hidden when the quarantine itself is retired; invalidations that cover it remove it as any
/// other. A renewal gives it a new fill stamp and takes the mark off.
extension MemoryTier {
    /// What becomes of an entry that a quarantine covers.
    func quarantined(_ entry: Entry) -> Standing {
        if !entry.flags.contains(.withheld) {
            let names = floors.tags.names
            switch floors.quarantine.mercy(for: entry, tagNames: names, guards: guards) {
            case .pending: return guards.isOn(.pendingQuarantine) ? .withheld : .visible
            case .shown:
                entry.fill = floors.quarantine.stamp
                return .visible
            case .none: break
            }
        }
        return withheld(entry, orOver: .forgotten)
    }

    /// Keeps an entry hidden until the origin has confirmed it, where the origin can be asked.
    func withheld(_ entry: Entry, orOver cause: RemovalCause) -> Standing {
        guard entry.isRenewable else { return .over(cause) }
        if guards.isOn(.withheldMark) { entry.flags.insert(.withheld) }
        if !entry.flags.contains(.soft) { entry.checkedAt = .never }
        return .withheld
    }

    /// The entry of `key` that is there and not to be shown as fresh – withheld, soft, or over – so
    /// that who loads it can ask the origin whether it has changed.
    ///
    /// - Returns: `nil` if there is none, or if it has neither ETag nor version to ask by.
    package func renewable(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryView? {
        guard let entry = index.find(hash, namespace: namespace, key: key), entry.isRenewable
        else { return nil }
        return check(entry, now: now).removal == nil ? view(of: entry) : nil
    }

    /// The origin has said that the value with this ETag or version is the one it has: as of
    /// `candidate.fill` the entry is as good as stored anew. Its value and its tags stay; of its
    /// representation what the candidate says anew replaces what is there.
    ///
    /// - Parameter candidate: fenced, without a value; its ETag and its version, as far as given,
    ///   must be the entry's.
    /// - Returns: Whether the entry was not as new already. Or why nothing was renewed: `changed`
    ///   if the entry is another one or gone, `olderVersion` if its version was ruled out, and what
    ///   ``store(_:now:)`` says of tokens. The entry is as it was then.
    /// - Complexity: O(tags).
    package mutating func renew(
        _ candidate: StoreCandidate, now: Instant
    ) -> Result<Bool, StoreRefusal> {
        defer { checkInvariants() }
        precondition(candidate.isFenced, "who renews without a token proves nothing")
        guard
            let entry = index.find(
                candidate.hash, namespace: candidate.namespace, key: candidate.key),
            entry.isWhatRenews(candidate) || !guards.isOn(.renewalMatch),
            check(entry, now: now).removal == nil
        else { return refuse(.changed) }
        var candidate = candidate
        candidate.version = entry.version
        // Its tags stay, so they count and none that came with the word.
        candidate.tags = UnsafeBufferPointer(start: nil, count: 0)
        if entry.version > .none, entry.version < floors.keyFloor(of: candidate.hash).minimumVersion
        {
            return refuse(.olderVersion)
        }
        if let refusal = floors.refusal(ofRenewing: entry, candidate),
            guards.isOn(.renewalCheck)
        {
            return refuse(refusal)
        }
        // A token from elsewhere must not lift an entry above one that is as new.
        guard entry.fill <= candidate.fill else { return .success(false) }
        floors.tallies.raiseFill(to: candidate.fill)
        entry.renew(candidate, checkedAt: floors.ordinal, now: now)
        noteEnd(of: entry)
        counters.renewals &+= 1
        describeAnew(entry, candidate, now: now)
        return .success(true)
    }

    private mutating func refuse(_ refusal: StoreRefusal) -> Result<Bool, StoreRefusal> {
        counters.count(refusal)
        return .failure(refusal)
    }
}

extension Entry {
    /// Whether the origin can be asked about it.
    var isRenewable: Bool { flags.contains(.versioned) || !validator.isEmpty }

    /// Whether it is the value that the candidate speaks of.
    fileprivate func isWhatRenews(_ candidate: StoreCandidate) -> Bool {
        let spoken = LoadTerms.validator(in: candidate.validator)
        guard !spoken.isEmpty || candidate.version > .none else { return false }
        return (spoken.isEmpty || validator.elementsEqual(spoken))
            && (candidate.version == .none || version == candidate.version)
    }

    fileprivate func renew(
        _ candidate: StoreCandidate, checkedAt ordinal: FloorOrdinal, now: Instant
    ) {
        fill = candidate.fill
        flags.subtract([.soft, .unfenced, .withheld])
        checkedAt = ordinal
        storedTick = Self.storedTick(now, lessAge: candidate.age)
        rewriteTerms(candidate.validator)
        // Its block has room for windows or it has not: without, its end is its lifetime's.
        end = candidate.freshUntil.map { end(freshUntil: $0) } ?? .never
    }
}
