import CacheModel
import CacheWire

/// Judges the answers to prefetches. They contain no value: they are compared with what the shard
/// has stored.
extension AnswerJudge {
    func judgePrefetch(
        _ outcome: Answer.Outcome, _ request: Request, _ item: Int, of shard: SimulatedShard
    ) throws(Violation) {
        try Violation.unless(
            outcome.value.isEmpty && outcome.token == nil,
            "\(shard.place) answers a prefetch with a value or a token")
        switch outcome.status {
        case .hit: try judgeThere(outcome, request, item, of: shard)
        case .miss where outcome.flags.contains(.negative):
            try judgeNegative(item, outcome, request, of: shard)
        case .miss: try judgeNotKept(request, item, of: shard)
        case .stale: throw Violation("\(shard.place) answers a prefetch with a stale value")
        case .behind: count(.behind)
        case .failed: count(.failedReads)
        default: break
        }
    }

    /// The present entry is as fresh as an answer to a read would be.
    private func judgeThere(
        _ outcome: Answer.Outcome, _ request: Request, _ item: Int, of shard: SimulatedShard
    ) throws(Violation) {
        guard let number = shard.memory.residents[item], !origin.fills[number].isAbsent else {
            throw Violation("\(shard.place) says that it has key \(item), and stored none")
        }
        try Violation.unless(
            leases.holdsLease(shard),
            "\(shard.place) says without a lease that it has key \(item) fresh")
        note(.shard(shard.place), "has prefetched fill", number)
        count(outcome.isLoaded ? .prefetched : .prefetchesSpared)
        try judgeServed(shard.memory.held(origin.fills[number]), outcome, of: shard)
        try judgeDemand(number, outcome, request, of: shard)
    }

    /// A load returned a value, and it was not kept.
    private func judgeNotKept(
        _ request: Request, _ item: Int, of shard: SimulatedShard
    ) throws(Violation) {
        let hasLoaded = shard.memory.loads.ends(of: item).contains {
            $0.step > request.takenStep
        }
        try Violation.unless(
            hasLoaded, "\(shard.place) has nothing of key \(item) and has not loaded it")
        count(.prefetchesNotKept)
    }
}
