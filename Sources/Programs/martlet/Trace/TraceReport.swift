import CacheModel

/// What replaying one trace told.
struct TraceReport: Sendable {
    /// One policy at one size.
    struct Outcome: Hashable, Sendable {
        var policy: EvictionPolicyName
        var capacity: Int
        var counts: PolicyReplay.Counts
    }

    /// Figures of the trace that outlive it.
    struct Subject: Hashable, Sendable {
        var requestCount: Int
        var byteCount: Int
        var keyCount: Int
        var footprint: Int
        var skippedCount: Int
        var firstSkipped: TraceProblem?
    }

    let path: String
    let plan: TracePlan
    let subject: Subject
    /// Every size in the order asked for, and for each every policy.
    private(set) var outcomes: [Outcome] = []

    init(path: String, plan: TracePlan, trace: RecordedTrace) {
        self.path = path
        self.plan = plan
        subject = Subject(
            requestCount: trace.requestCount, byteCount: trace.byteCount,
            keyCount: trace.keys.count, footprint: trace.footprint(in: plan.unit),
            skippedCount: trace.skippedCount, firstSkipped: trace.firstSkipped)
    }

    mutating func add(_ replay: PolicyReplay, _ counts: PolicyReplay.Counts) {
        outcomes.append(
            Outcome(policy: replay.policy, capacity: replay.capacity, counts: counts))
    }

    var sizes: [Int] {
        outcomes.map(\.capacity).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    func outcomes(at size: Int) -> [Outcome] {
        outcomes.filter { $0.capacity == size && plan.policies.contains($0.policy) }
    }

    /// Share of all requests that missed, 0 to 1.
    func missRatio(_ outcome: Outcome) -> Double {
        Double(outcome.counts.misses) / Double(subject.requestCount)
    }

    /// Share of all bytes asked for that missed, 0 to 1.
    func byteMissRatio(_ outcome: Outcome) -> Double {
        Double(outcome.counts.missedBytes) / Double(subject.byteCount)
    }

    /// By how much fewer misses than LRU has at the same size: 1 is all, below 0 is more.
    func reduction(_ outcome: Outcome) -> Double? {
        let measure = outcomes.first {
            $0.capacity == outcome.capacity && $0.policy == TracePlan.measure
        }
        return measure.map { 1 - Double(outcome.counts.misses) / Double($0.counts.misses) }
    }
}
