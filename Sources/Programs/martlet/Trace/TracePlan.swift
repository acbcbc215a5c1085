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
