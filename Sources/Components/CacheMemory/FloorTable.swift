import ByteCoding
import CacheModel

/// All floors of a shard, and their verdict on an entry or a token.
///
/// Raising a floor is O(1) in the number of entries: an entry is checked when it is next visited.
/// The ordinal counts rises of floors that entries are checked against; while it equals that of an
/// entry's last check, a lookup costs one comparison.
struct FloorTable: ~Copyable {
    private let hasher: KeyHasher
    let guards: Guards
    private(set) var ordinal = FloorOrdinal.first
    /// Tokens below it are refused: floors that they would have to be checked against were dropped.
    private(set) var tokenBase = FillStamp.none
    private(set) var everything = ScopeFloors()
    /// Below it the history is unknown: it was lost or left. It belongs to everything; the other
    /// scopes have no quarantine of their own.
    private(set) var quarantine = Quarantine()
    private var namespaces: [ScopeFloors] = []
    private(set) var prefixes: PrefixFloors
    var tags: TagTable
    private(set) var paced: PacedFloors
    /// Changes of the shard's key ownership.
    private var moved = MovedFloors()
    private var keys: KeyFloors
    /// Counts of resident entries by scope.
    var tallies = ScopeTallies()
    /// Removed entries, and the floors that removed them.
    var gone = GoneEntries()

    init(limits: MemoryTierLimits, hasher: KeyHasher, guards: Guards = .all) {
        self.hasher = hasher
        self.guards = guards
        prefixes = PrefixFloors(hasher: hasher, limits: limits)
        tags = TagTable(tagsMax: limits.tagsMax)
        paced = PacedFloors(limits: limits)
        keys = KeyFloors(floorsMax: limits.keyFloorsMax)
    }

    var prefixCount: Int { prefixes.count }
    var keyCount: Int { keys.count }

    /// Whether ``restartOrdinals()`` must precede the next rise, and every entry be marked
    /// unchecked.
    var isOrdinalExhausted: Bool { ordinal.rawValue == .max }
}

// MARK: - Rising

extension FloorTable {
    mutating func raiseKey(_ hash: KeyHash, to stamp: FillStamp, minimumVersion: Version?) {
        if let dropped = keys.raise(hash, to: stamp, minimumVersion: minimumVersion) {
            tokenBase = max(tokenBase, dropped)
        }
    }

    /// Raises the floor of a scope that is no key.
    ///
    /// - Returns: how many entries carry the tag, or share its floors; `nil` for another scope.
    mutating func raise(
        _ scope: TierScope, _ strength: InvalidationRecord.Strength, to stamp: FillStamp,
        now: Instant
    ) -> Int? {
        let rise = nextRise(strength, stamp, now)
        switch scope {
        case .key: preconditionFailure("a key has no floor for its entry")
        case .tag(let namespace, let tag):
            return tags.raise(name(tag, namespace), rise, highestFill: tallies.highestFill)
        case .prefix(let namespace, let prefix):
            if !prefixes.raise(prefix, in: namespace, rise) { raise(namespace, rise) }
        case .namespace(let namespace): raise(namespace, rise)
        case .everything:
            everything.raise(rise)
            tallies.floorRose(rise)
        }
        return nil
    }

    /// Raises a scope for the keys with a route hash in `range`.
    ///
    /// - Returns: `false` if a limit is reached and nothing was raised: the whole scope must be
    ///   raised instead.
    mutating func raise(
        _ cover: PacedFloors.Cover, within range: ClosedRange<UInt64>,
        strength: InvalidationRecord.Strength, to stamp: FillStamp, now: Instant
    ) -> Bool {
        paced.raise(cover, range, nextRise(strength, stamp, now))
    }

    /// Hides entries filled below `stamp`, except for keys that were and stay this shard's.
    ///
    /// - Parameter keeps: by the route hash of a key; `nil`: unknown for all.
    mutating func move(to stamp: FillStamp, keeping keeps: (@Sendable (RoutedKey) -> Bool)?) {
        ordinal = FloorOrdinal(ordinal.rawValue + 1)
        moved.raise(to: stamp, at: ordinal, keeping: keeps)
    }

    mutating func refuseTokens(below stamp: FillStamp) {
        if guards.isOn(.forgottenTokens) { tokenBase = max(tokenBase, stamp) }
    }

    /// What a range narrows; `nil` for a key.
    func cover(of scope: TierScope) -> PacedFloors.Cover? {
        switch scope {
        case .key: nil
        case .tag(let namespace, let tag): .tag(name(tag, namespace).hash, namespace)
        case .prefix(let namespace, let prefix): .prefix([UInt8](prefix), namespace)
        case .namespace(let namespace): .namespace(namespace)
        case .everything: .everything
        }
    }

    /// The names of all namespaces, by number.
    mutating func nameNamespaces(_ names: [[UInt8]]) { paced.name(names) }

    mutating func quarantine(to stamp: FillStamp, isPending: Bool) {
        ordinal = FloorOrdinal(ordinal.rawValue + 1)
        quarantine.raise(to: stamp, at: ordinal, isPending: isPending)
        if guards.isOn(.forgottenTokens) { tokenBase = max(tokenBase, stamp) }
    }

    /// Has entries below the quarantine checked against it again.
    mutating func settleQuarantine(_ amnesty: Amnesty?) {
        ordinal = FloorOrdinal(ordinal.rawValue + 1)
        quarantine.settle(amnesty, at: ordinal)
        // Entries under the amnesty count as filled there.
        if amnesty != nil { tallies.raiseFill(to: quarantine.stamp) }
    }

    /// Restarts the ordinals at one; all current floors count as risen before. The caller marks
    /// every entry unchecked.
    mutating func restartOrdinals() {
        ordinal = .first
        everything.raisedAt = .never
        quarantine.raisedAt = .never
        for index in namespaces.indices { namespaces[index].raisedAt = .never }
        prefixes.restartOrdinals()
        tags.restartOrdinals()
        paced.restartOrdinals()
        moved.restartOrdinals()
    }

    /// Advances the ordinal, as four thousand million rises would. For tests.
    mutating func skipOrdinals(to ordinal: FloorOrdinal) {
        self.ordinal = ordinal
    }

    private mutating func nextRise(
        _ strength: InvalidationRecord.Strength, _ stamp: FillStamp, _ now: Instant
    ) -> FloorRise {
        ordinal = FloorOrdinal(ordinal.rawValue + 1)
        return FloorRise(strength: strength, stamp: stamp, now: now, ordinal: ordinal)
    }

    private mutating func raise(_ namespace: NamespaceNumber, _ rise: FloorRise) {
        let index = Int(namespace.rawValue)
        while namespaces.count <= index { namespaces.append(ScopeFloors()) }
        namespaces[index].raise(rise)
        tallies.floorRose(rise, of: namespace)
    }

    func name(
        _ tag: UnsafeRawBufferPointer, _ namespace: NamespaceNumber
    ) -> TagName {
        let hash = hasher.hash(tag, room: UInt64(namespace.rawValue) | HashRoom.tag)
        return TagName(hash: hash, namespace: namespace, bytes: tag)
    }
}

// MARK: - Judging

extension FloorTable {
    func judge(_ entry: Entry) -> FloorVerdict {
        let fill = entry.fill
        let namespace = entry.namespace
        var verdict = FloorVerdict()
        verdict.meet(everything, fill: fill)
        verdict.meet(quarantine: quarantine.stamp, fill: fill)
        verdict.meet(floors(of: namespace), fill: fill)
        for index in 0..<entry.tagCount {
            verdict.meet(tags.floors(entry.tagID(index)), fill: fill)
        }
        prefixes.judge(
            entry.key, in: namespace, fill: fill,
            checkedAt: lastCheck(of: entry), into: &verdict)
        paced.judge(entry, tags, checkedAt: lastCheck(of: entry), into: &verdict)
        verdict.meet(
            movedCover(entry.key, namespace, filledAt: fill, checkedAt: lastCheck(of: entry)))
        return verdict
    }

    private func movedCover(
        _ key: UnsafeRawBufferPointer, _ namespace: NamespaceNumber, filledAt fill: FillStamp,
        checkedAt: FloorOrdinal
    ) -> MovedFloors.Cover {
        moved.cover(fill, key, checkedAt: checkedAt) { paced.name(of: namespace) }
    }

    /// A soft entry is checked against the floors each time.
    private func lastCheck(of entry: Entry) -> FloorOrdinal {
        entry.flags.contains(.soft) ? .never : entry.checkedAt
    }

    func keyFloor(of hash: KeyHash) -> KeyFloor { keys.floor(of: hash) }

    func prefetchKey(_ hash: KeyHash) { keys.prefetch(hash) }

    /// Why a value with a token may not be stored; `nil` if it is at or above every floor that
    /// covers it.
    func refusal(ofFenced candidate: StoreCandidate) -> StoreRefusal? {
        let fill = candidate.fill
        if fill < tokenBase, guards.isOn(.tokenBase) { return .tokenTooOld }
        let key = keys.floor(of: candidate.hash)
        guard key.admits(fill: fill, version: candidate.version, guards: guards),
            movedCover(candidate.key, candidate.namespace, filledAt: fill, checkedAt: .never)
                == .none
        else { return .invalidatedMeanwhile }
        return fill < highest(over: candidate) ? .invalidatedMeanwhile : nil
    }

    /// Why an entry may not be renewed by a token; `nil` if the token is at or above every floor
    /// that covers the entry.
    func refusal(ofRenewing entry: Entry, _ candidate: StoreCandidate) -> StoreRefusal? {
        if let refusal = refusal(ofFenced: candidate) { return refusal }
        for index in 0..<entry.tagCount
        where candidate.fill < tags.floors(entry.tagID(index)).highest
            && guards.isOn(.renewalTags)
        {
            return .invalidatedMeanwhile
        }
        var highest = FillStamp.none
        paced.forEach(over: entry, tags) { _, floors in highest = max(highest, floors.highest) }
        return candidate.fill < highest ? .invalidatedMeanwhile : nil
    }

    private func highest(over candidate: StoreCandidate) -> FillStamp {
        var highest = everything.highest
        if guards.isOn(.forgottenTokens) { highest = max(highest, quarantine.stamp) }
        highest = max(highest, floors(of: candidate.namespace).highest)
        highest = max(highest, prefixes.highest(over: candidate.key, in: candidate.namespace))
        for tag in candidate.tags {
            highest = max(highest, tags.floors(of: name(tag, candidate.namespace)).highest)
        }
        paced.forEach(over: candidate.key, in: candidate.namespace) { _, floors in
            highest = max(highest, floors.highest)
        } carries: { hash in
            candidate.tags.contains { name($0, candidate.namespace).hash == hash }
        }
        return highest
    }

    func floors(of namespace: NamespaceNumber) -> ScopeFloors {
        let index = Int(namespace.rawValue)
        return index < namespaces.count ? namespaces[index] : ScopeFloors()
    }
}

// MARK: - Retaining tags, and dropping floors

extension FloorTable {
    mutating func retainTag(
        _ tag: UnsafeRawBufferPointer, in namespace: NamespaceNumber
    ) -> TagID {
        tags.retain(name(tag, namespace))
    }

    /// Drops the floors that last rose at or before `ordinal`, which every entry has been checked
    /// against since. Tokens may still be below them, so the token base rises to the highest.
    mutating func retire(through ordinal: FloorOrdinal) {
        var highest = max(
            tags.retire(through: ordinal), prefixes.retire(through: ordinal),
            paced.retire(through: ordinal), moved.retire(through: ordinal))
        for index in namespaces.indices where namespaces[index].raisedAt <= ordinal {
            highest = max(highest, namespaces[index].highest)
            namespaces[index] = ScopeFloors()
        }
        if everything.raisedAt <= ordinal {
            highest = max(highest, everything.highest)
            everything = ScopeFloors()
        }
        if quarantine.raisedAt <= ordinal, !quarantine.isPending { quarantine.retire() }
        tokenBase = max(tokenBase, highest)
    }
}
