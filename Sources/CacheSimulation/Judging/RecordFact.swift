import CacheModel

/// What the oracle knows of one record: when it came to be, and what it covers.
struct RecordFact {
    struct Release {
        let generation: Int
        /// At which step it began to wait for who held a grant then.
        let began: Int
    }

    let sealed: SealedRecord
    /// The step of the world, and the moment, at which it was appended.
    let step: Int
    private(set) var time: WorldTime
    /// The same, or the step at which it was appended once more after it had been lost.
    private(set) var appendedStep: Int
    /// Which run of the publisher appended it.
    private(set) var generation: Int
    /// Keys whose every value is covered.
    private(set) var keys: UInt64 = 0
    /// For each tag the keys that it covers when they carry it.
    private(set) var keysOfTags: [UInt64]
    /// For each key the version below which its values are covered, by a key's own scope.
    private(set) var minimumVersions: [Int: Version] = [:]
    /// Whether a publisher that lost its log went on without it: then nobody owes it any more.
    var isLost = false
    /// Nodes that a receipt listed as applied or expired: when each run of the publisher did so
    /// first.
    private(set) var releases: [Int: [Release]] = [:]

    init(_ sealed: SealedRecord, step: Int, time: WorldTime, generation: Int) {
        self.sealed = sealed
        self.step = step
        appendedStep = step
        self.time = time
        self.generation = generation
        keysOfTags = Array(repeating: 0, count: Catalog.tags.count)
        for scope in sealed.record.scopes { add(scope) }
    }

    /// It was lost, and appended once more.
    mutating func revive(as fact: RecordFact) {
        time = fact.time
        appendedStep = fact.step
        generation = fact.generation
        isLost = false
        releases = [:]
    }

    mutating func release(_ node: Int, _ release: Release) {
        let known = releases[node] ?? []
        if known.contains(where: { $0.generation == release.generation }) { return }
        releases[node] = known + [release]
    }

    var isHard: Bool { sealed.record.strength == .hard }
    var position: LogPosition { sealed.position }

    private mutating func add(_ scope: Scope) {
        switch scope.target {
        // Who the members are covers what was moved, which is judged by itself.
        case .everything where scope.membership != nil: break
        case .everything: keys |= Catalog.everyKey
        case .namespace(let namespace): keys |= Catalog.keys(in: namespace)
        case .prefix(let prefix, let namespace):
            keys |= Catalog.keys {
                $0.namespace == namespace && $0.key.bytes.starts(with: prefix)
            }
        case .tag(let tag, let namespace):
            for index in Catalog.tags.indices where Catalog.tags[index] == tag {
                keysOfTags[index] |= Catalog.keys(in: namespace)
            }
        case .key(let key, let namespace):
            let named = Catalog.keys { $0.namespace == namespace && $0.key == key }
            guard let minimum = scope.minimumVersion else { return keys |= named }
            for item in Catalog.items.indices where named & 1 << UInt64(item) != 0 {
                minimumVersions[item] = max(minimumVersions[item] ?? .none, minimum)
            }
        }
    }

    /// Whether a value is covered, whenever it was read.
    func covers(_ fill: Fill) -> Bool {
        let bit: UInt64 = 1 << UInt64(fill.item)
        if keys & bit != 0 { return true }
        if let minimum = minimumVersions[fill.item], fill.version < minimum { return true }
        for tag in keysOfTags.indices
        where fill.tags & 1 << UInt64(tag) != 0 && keysOfTags[tag] & bit != 0 {
            return true
        }
        return false
    }
}
