package import CacheModel

/// Withheld entries, and their renewal after the origin confirms them.
///
/// A quarantined entry with an ETag or a version is kept, hidden. It is marked, so that it stays
/// hidden when the quarantine itself is retired; invalidations that cover it remove it as any
/// other. A renewal gives it a new fill stamp and removes the mark.
extension MemoryTier {
    /// The entry of `key` that must not be served as fresh – withheld, soft, or over – for
    /// revalidation with the origin.
    ///
    /// - Returns: `nil` if there is none, or if it has neither ETag nor version.
    package func renewable(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryView? {
        guard let entry = entries.index.find(hash, namespace: namespace, key: key),
            entry.isRenewable, entries.floors.check(entry, now: now).removal == nil
        else { return nil }
        return entries.view(of: entry)
    }

    /// The origin has confirmed the value with this ETag or version: as of `candidate.fill` the
    /// entry counts as stored again. Its value and its tags are kept; representation members in the
    /// candidate replace the entry's.
    ///
    /// - Parameter candidate: fenced, without a value; its ETag and its version, as far as given,
    ///   must be the entry's.
    /// - Returns: `false` if the entry was filled later already. Or why nothing was renewed:
    ///   `changed` if the entry is another one or absent, `olderVersion` if its version was ruled
    ///   out, and the token errors of ``store(_:now:)``. The entry is not changed then.
    /// - Complexity: O(tags).
    package mutating func renew(
        _ candidate: StoreCandidate, now: Instant
    ) -> Result<Bool, StoreRefusal> {
        defer { entries.checkInvariants() }
        precondition(candidate.isFenced, "a renewal has a token")
        guard
            let entry = entries.index.find(
                candidate.hash, namespace: candidate.namespace, key: candidate.key),
            entry.isWhatRenews(candidate) || !entries.floors.guards.isOn(.renewalMatch),
            entries.floors.check(entry, now: now).removal == nil
        else { return refuse(.changed) }
        var candidate = candidate
        candidate.version = entry.version
        // The entry's tags are kept, so they count and not the candidate's.
        candidate.tags = UnsafeBufferPointer(start: nil, count: 0)
        let minimum = entries.floors.keyFloor(of: candidate.hash).minimumVersion
        if entry.version > .none, entry.version < minimum { return refuse(.olderVersion) }
        if let refusal = entries.floors.refusal(ofRenewing: entry, candidate),
            entries.floors.guards.isOn(.renewalCheck)
        {
            return refuse(refusal)
        }
        // An entry's fill never falls, also by a token from elsewhere.
        guard entry.fill <= candidate.fill else { return .success(false) }
        entries.floors.tallies.raiseFill(to: candidate.fill)
        entry.renew(candidate, checkedAt: entries.floors.ordinal, now: now)
        entries.expiry.noteEnd(of: entry, &entries.arena)
        entries.counters.sums.renewals &+= 1
        describeAnew(entry, candidate, now: now)
        return .success(true)
    }

    private mutating func refuse(_ refusal: StoreRefusal) -> Result<Bool, StoreRefusal> {
        entries.counters.count(refusal)
        return .failure(refusal)
    }

    /// Updates the representation of a renewed entry from the candidate. The entry is rewritten for
    /// that, with its value, tags and end.
    ///
    /// If there is no space for it, it is not changed.
    ///
    /// - Complexity: O(value) if the representation changes.
    mutating func describeAnew(_ entry: Entry, _ renewal: StoreCandidate, now: Instant) {
        guard !renewal.representation.isEmpty,
            let said = Representation(stored: renewal.representation),
            let held = Representation(stored: entry.representation),
            held.updated(by: said) != held
        else { return }
        let representation = held.updated(by: said).stored
        // Making space may move the entry, or evict it.
        let (value, validation) = ([UInt8](entry.value), [UInt8](entry.validation))
        value.withUnsafeBytes { value in
            validation.withUnsafeBytes { validation in
                representation.withUnsafeBytes { representation in
                    var candidate = StoreCandidate(
                        hash: renewal.hash, namespace: renewal.namespace, key: renewal.key,
                        value: value, fill: renewal.fill)
                    candidate.version = entry.version
                    candidate.validator = validation
                    candidate.representation = representation
                    candidate.age = renewal.age
                    candidate.isFenced = true
                    entries.replace(entry, by: candidate, now: now)
                }
            }
        }
    }
}

extension Entry {
    /// Whether the origin can revalidate it.
    var isRenewable: Bool { flags.contains(.versioned) || !validator.isEmpty }

    /// Whether it is the value that the candidate confirms.
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
        // Without space for windows in its block, its end is its lifetime's end.
        end = candidate.freshUntil.map { end(freshUntil: $0) } ?? .never
    }
}
