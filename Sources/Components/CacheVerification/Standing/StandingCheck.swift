package import CacheModel
import DequeModule

/// Watches some of the keys that a cluster's log invalidates: which nodes to ask when, and what the
/// answers mean.
///
///     log ─▶ heard ─▶ sample ──1 s──10 s──60 s──▶ takeDue ─▶ (every node is asked) ─▶ answered
///                        ▲                                                              │
///     receipt ───────────┘             figures, nines, broken promises with history ◀───┘
///
/// It knows no values, only what nodes report of theirs: the position of the fill, and the position
/// that the node has applied. An answer is wrong if it is fresh, was stored under the promises, was
/// filled before the invalidation, and
///
///   - the node reports that it has applied the invalidation; or
///   - the receipt said before the question that all was reached; or
///   - the invalidation was received longer ago than any lease lasts.
///
/// The last two are checked twice: a process may sleep between its look at the clock and its answer
/// without breaking a promise. Before that the node is *behind*, which is allowed, but counts
/// against the nines. A second look settles those two and nothing else: a node that was behind at
/// the first look was behind.
///
/// ### Bounds
/// ``StandingLimits``. Omitted samples are counted, by reason.
package struct StandingCheck: Sendable {
    package let plan: StandingPlan
    package internal(set) var tally = StandingTally()
    /// By delay, then by node.
    package internal(set) var figures: [[NodeID: NodeFigures]]
    /// By delay: how long after it nodes were asked.
    package internal(set) var lateness: [LookLateness]
    /// The first broken promises, with their histories.
    package internal(set) var brokenPromises: [BrokenPromise] = []
    /// The comparison with origins.
    package internal(set) var origins: OriginCheck
    private var draw: SampleDraw
    var seen = SeenKeys()
    var samples: [SampleID: KeySample] = [:]
    var samplesOfKey: [WatchedKey: [SampleID]] = [:]
    private var lastID: UInt64 = 0
    /// For each delay, the samples that wait for it, in the order in which they arrived.
    var queues: [Deque<SampleID>]
    /// Which of them is served next.
    var nextQueue = 0

    /// - Precondition: one to eight delays, rising; `part` is one of `parts`.
    package init(_ plan: StandingPlan) {
        let count = plan.delays.count
        precondition((1...StandingLimits.delayCountMax).contains(count), "one to eight delays")
        precondition(zip(plan.delays, plan.delays.dropFirst()).allSatisfy(<), "delays rise")
        precondition((1...max(1, plan.parts)).contains(plan.part), "a part is one of its parts")
        self.plan = plan
        draw = SampleDraw(plan)
        origins = OriginCheck(plan.origins)
        figures = Array(repeating: [:], count: count)
        lateness = Array(repeating: LookLateness(), count: count)
        queues = Array(repeating: [], count: count)
    }

    package var openCount: Int { samples.count }
    package var seenKeyCount: Int { seen.count }

    // MARK: The log

    /// A record arrived.
    ///
    /// - Returns: the samples of this record; if there are any, ask for its receipt.
    package mutating func heard(_ record: InvalidationRecord, at now: Instant) -> [SampleID] {
        tally.recordCount += 1
        guard !record.isOfNewerForm else {
            tally.unreadableCount += 1
            return []
        }
        let last = lastID
        for (number, scope) in record.scopes.enumerated() where isWatched(scope) {
            if case .key(let key, let namespace) = scope.target {
                tally.keyCount += 1
                let key = WatchedKey(key, in: namespace)
                for id in samplesOfKey[key] ?? [] {
                    samples[id]?.note(
                        .invalidated(record.position, scope, record.strength), at: now)
                }
                seen.note(key, tags: nil)
                consider(key, record, number, at: now)
            } else {
                heardWide(scope, record, number, at: now)
            }
        }
        return (last..<lastID).map { SampleID(rawValue: $0 + 1) }
    }

    /// Adds keys from other sources, such as a scan.
    package mutating func learn(_ key: WatchedKey, tags: [Tag]) {
        guard plan.namespace == nil || plan.namespace == key.namespace else { return }
        seen.note(key, tags: tags)
    }

    private func isWatched(_ scope: Scope) -> Bool {
        guard let wanted = plan.namespace else { return true }
        return switch scope.target {
        case .key(_, let namespace), .tag(_, let namespace), .prefix(_, let namespace),
            .namespace(let namespace):
            namespace == wanted
        case .everything: true
        }
    }

    private mutating func heardWide(
        _ scope: Scope, _ record: InvalidationRecord, _ number: Int, at now: Instant
    ) {
        tally.wideCount += 1
        let keys = seen.some(coveredBy: scope)
        if keys.isEmpty { tally.wideUnsampledCount += 1 }
        for (place, key) in keys.enumerated() {
            // Numbers beyond those of scopes, so that each key has its own draw.
            let number = (number + 1) * InvalidationRecord.scopesMax + place
            consider(key, record, number, at: now, scope)
        }
    }

    private mutating func consider(
        _ key: WatchedKey, _ record: InvalidationRecord, _ number: Int, at now: Instant,
        _ wide: Scope? = nil
    ) {
        let scope = wide ?? record.scopes[number]
        if draw.isElsewhere(record.position, number) { return tally.elsewhereCount += 1 }
        guard samples.count < StandingLimits.openSamplesMax else { return tally.noRoomCount += 1 }
        guard draw.takes(record.position, number, at: now) else {
            return tally.leftOutCount += 1
        }
        tally.sampledCount += 1
        lastID += 1
        let id = SampleID(rawValue: lastID)
        samples[id] = KeySample(key, record, scope, at: now)
        samplesOfKey[key, default: []].append(id)
        queues[0].append(id)
    }

    /// A part of the log is lost, or it is another log. Perhaps no node has applied the records
    /// that arrived. All samples are given up.
    package mutating func lostPlace() {
        tally.lossCount += 1
        tally.doubtfulCount += samples.count
        samples = [:]
        samplesOfKey = [:]
        queues = Array(repeating: [], count: queues.count)
    }

    /// The receipt for the record of some samples arrived.
    package mutating func receipt(of ids: [SampleID], isComplete: Bool, at now: Instant) {
        for id in ids {
            samples[id]?.note(.receipt(isComplete: isComplete), at: now)
            if isComplete { samples[id]?.receiptAt = now }
        }
    }
}

/// Comparisons of nodes' values with those of origins. They do not count for the nines.
extension StandingCheck {
    /// The next comparison; `nil` if none is due. Pass each answer to ``compared(_:by:_:at:)``.
    package mutating func takeDueComparison(at now: Instant) -> OriginLook? {
        origins.takeDue(at: now, seen: &seen)
    }

    /// A node has answered a comparison, or failed to.
    ///
    /// - Parameter node: the one that was asked.
    package mutating func compared(
        _ look: OriginLook, by node: NodeID, _ answer: OriginAnswer, at now: Instant
    ) {
        origins.answered(look, by: node, answer, at: now)
    }
}

/// Counters of a ``StandingCheck``, besides those of answers.
package struct StandingTally: Hashable, Sendable {
    /// Records of the log, and keys that they name.
    package internal(set) var recordCount = 0
    package internal(set) var keyCount = 0
    package internal(set) var sampledCount = 0
    /// Keys that other parts of the checkers take, keys beyond the rate, and keys without capacity.
    package internal(set) var elsewhereCount = 0
    package internal(set) var leftOutCount = 0
    package internal(set) var noRoomCount = 0
    /// Invalidations of a tag, a prefix, a namespace or everything; and those without a known key
    /// to sample.
    package internal(set) var wideCount = 0
    package internal(set) var wideUnsampledCount = 0
    /// Records of a later release with unreadable scopes.
    package internal(set) var unreadableCount = 0
    /// How often a part of the log was lost, and how many samples were given up because of it.
    package internal(set) var lossCount = 0
    package internal(set) var doubtfulCount = 0
    /// Looks at which two nodes showed different versions, both as fresh, twice in a row.
    package internal(set) var differingCount = 0
    package internal(set) var wrongCount = 0

    package init() {}
}
