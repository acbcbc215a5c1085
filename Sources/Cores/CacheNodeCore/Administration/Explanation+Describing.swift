import CacheMemory
import CacheModel
import CacheWire

extension Explanation.Verdict {
    /// The result of a GET that allows nothing stale.
    init(
        on account: EntryAccount, _ policy: NamespacePolicy, _ standing: NodeStanding, now: Instant
    ) {
        self = Self.verdict(on: account, policy, standing, now: now)
    }

    private static func verdict(
        on account: EntryAccount, _ policy: NamespacePolicy, _ node: NodeStanding, now: Instant
    ) -> Explanation.Verdict {
        guard let entry = account.entry, let standing = account.standing else { return .absent }
        switch standing {
        case .over(.expired): return .expired
        case .over(.forgotten): return .forgotten
        case .over: return .invalidated
        case .withheld: return entry.hasEnded(at: now) ? .expired : .withheld
        case .visible: break
        }
        if entry.isSoft { return .soft }
        if entry.isPastLifetime(at: now) { return .expired }
        if entry.isNegative { return .absent }
        if node.holdsLease(at: now) { return .fresh }
        switch policy.suspect {
        case .serve: return .suspectServed
        case .refuse: return .suspectRefused
        case .revalidate: return .suspectHidden
        case .serveThenRevalidate:
            let window = policy.suspectWindow
            return node.hasVouched(within: window, of: now)
                ? .suspectServed : .suspectHidden
        }
    }
}

extension Explanation.Entry {
    init(_ entry: EntryView, costBytes: Int, _ log: LogFollower, now: Instant) {
        self.init()
        valueBytes = UInt32(clamping: entry.value.count)
        chargedBytes = UInt32(clamping: costBytes)
        version = entry.version
        ageMilliseconds = entry.ageMilliseconds(at: now)
        let left = entry.ttlMilliseconds(at: now)
        ttlMilliseconds = left == .max ? nil : left
        softMilliseconds = entry.softAge(at: now)?.wholeMilliseconds
        fill = log.position(of: entry.fill)
        isUnfenced = entry.isUnfenced
        etag = Validator(bytes: [UInt8](entry.validator))
        representation =
            Representation(stored: entry.representation) ?? Representation()
        var named: [Tag] = []
        entry.forEachTag { if let tag = Tag(bytes: [UInt8]($0)) { named.append(tag) } }
        tags = named
    }
}

extension Explanation.Floor {
    init(_ floor: CoveringFloor, over entry: EntryView?, _ log: LogFollower) {
        switch floor.cover {
        case .key: self.init(.key)
        case .tag(let name): self.init(.tag, named: name)
        case .prefix(let name): self.init(.prefix, named: name)
        case .namespace: self.init(.namespace)
        case .everything: self.init(.everything)
        case .history: self.init(.history)
        }
        hard = log.position(of: floor.hard)
        soft = log.position(of: floor.soft)
        minimumVersion = floor.minimumVersion
        // The floor of a key hides no entry: its invalidation removed or marked the entry at once.
        if let entry, floor.cover != .key {
            isAboveEntry = entry.fill < max(floor.hard, floor.soft)
        } else {
            isAboveEntry = floor.hidLast
        }
    }
}
