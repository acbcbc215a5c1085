import CacheModel

/// The oracle's knowledge of one record: when it was appended, and which keys it covers.
struct RecordFact {
    struct Release {
        let generation: Int
        /// The step at which the publisher began to wait for the nodes with a grant at that time.
        let began: Int
    }

    let sealed: SealedRecord
    /// The step and the time of its append.
    let step: Int
    private(set) var time: WorldTime
    /// The same step, or that of the second append after it was lost.
    private(set) var appendedStep: Int
    /// The run of the publisher that appended it.
    private(set) var generation: Int
    /// Keys with all values covered.
    private(set) var keys: UInt64 = 0
    /// For each tag, the keys that it covers if they have the tag.
    private(set) var keysOfTags: [UInt64]
    /// For each key, the version below which a key scope covers its values.
    private(set) var minimumVersions: [Int: Version] = [:]
    /// Whether a publisher that lost its log continued without it: then no node has to apply it.
    var isLost = false
    /// Nodes that a receipt listed as applied or expired, and when each run of the publisher first
    /// did so.
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

    /// It was lost, and appended again.
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
        // A change of members covers moved keys, which are judged separately.
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

    /// Whether it covers a value, whenever that was read.
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
