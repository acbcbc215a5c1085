import ByteCoding
import CacheMemory
import CacheModel
import CommandSurface
import Synchronization

/// What is to be replayed, with every flag checked.
struct TracePlan: Sendable {
    /// What a node uses when it is told nothing else.
    static let policyDefault = EvictionPolicyName.adaptive
    /// What the others are measured against.
    static let measure = EvictionPolicyName.lru

    var unit: TraceUnit
    var capacities: [TraceCapacity]
    /// Those that are reported, in this order.
    var policies: [EvictionPolicyName]
    var shards: Int
    var skipsMalformed: Bool

    /// Those that are replayed: the measure is, whether reported or not.
    private var replayed: [EvictionPolicyName] {
        policies.contains(Self.measure) ? policies : policies + [Self.measure]
    }

    /// Replays `trace` once for each size and policy, as many at once as there are processors.
    func replay(_ trace: RecordedTrace, path: String) async -> TraceReport {
        var report = TraceReport(path: path, plan: self, trace: trace)
        let sizes = sizes(of: trace.footprint(in: unit))
        let replays = sizes.flatMap { size in
            replayed.map {
                PolicyReplay(policy: $0, unit: unit, capacity: size, shards: shards)
            }
        }
        let progress = ReplayProgress(total: replays.count * trace.requestCount)
        let counts = await withTaskGroup(of: (Int, PolicyReplay.Counts).self) { group in
            for (index, replay) in replays.enumerated() {
                group.addTask { (index, replay.run(trace, done: progress.add)) }
            }
            return await group.reduce(into: [Int: PolicyReplay.Counts]()) { $0[$1.0] = $1.1 }
        }
        progress.finish()
        for (index, replay) in replays.enumerated() {
            if let count = counts[index] { report.add(replay, count) }
        }
        return report
    }

    /// Without repetition: small shares of a small footprint are the same.
    private func sizes(of footprint: Int) -> [Int] {
        capacities.reduce(into: []) { sizes, capacity in
            let size = max(capacity.resolved(of: footprint), shards)
            if !sizes.contains(size) { sizes.append(size) }
        }
    }
}

/// How far replays that run at the same time have come, together.
final class ReplayProgress: Sendable {
    private let count = Atomic<Int>(0)
    private let line: ProgressBar

    init(total: Int) {
        line = ProgressBar("replaying", total: total)
    }

    func add(_ requests: Int) {
        line.show(count.wrappingAdd(requests, ordering: .relaxed).newValue)
    }

    func finish() { line.finish() }
}

/// One cache, in as many shards as asked for, that a whole trace is replayed through.
struct PolicyReplay: Sendable {
    struct Counts: Hashable, Sendable {
        var misses = 0
        var missedBytes = 0
    }

    var policy: EvictionPolicyName
    var unit: TraceUnit
    /// Of all shards together; each has at least one.
    var capacity: Int
    var shards: Int

    /// - Parameter done: told now and then how many requests further it has come.
    func run(_ trace: RecordedTrace, done: (Int) -> Void) -> Counts {
        let tiers = makeTiers()
        var counts = Counts()
        trace.keys.bytes.withUnsafeBytes { bytes in
            trace.keys.bounds.withUnsafeBufferPointer { bounds in
                for piece in trace.pieces {
                    for request in piece {
                        let number = Int(request.key)
                        let key = UnsafeRawBufferPointer(
                            rebasing: bytes[bounds[number]..<bounds[number + 1]])
                        let tier = tiers.count == 1 ? tiers[0] : tiers[shard(of: key)]
                        if !tier.request(key, size: Int(request.size)) {
                            counts.misses += 1
                            counts.missedBytes += Int(request.size)
                        }
                    }
                    done(piece.count)
                }
            }
        }
        return counts
    }

    /// The capacity in equal parts; what is left over goes to the first, one each.
    private func makeTiers() -> [TierReplay] {
        precondition(capacity >= shards, "every shard has room for something")
        return (0..<shards).map { shard in
            let part = capacity / shards + (shard < capacity % shards ? 1 : 0)
            return TierReplay(.init(policy: policy, weighing: unit.weighing, capacity: part))
        }
    }

    private func shard(of key: UnsafeRawBufferPointer) -> Int {
        Int(StableHash.hash(key).multipliedFullWidth(by: UInt64(shards)).high)
    }
}

/// What replaying one trace told.
struct TraceReport: Sendable {
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
