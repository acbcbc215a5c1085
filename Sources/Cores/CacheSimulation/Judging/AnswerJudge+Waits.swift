import CacheModel
import CacheNodeCore
import CacheWire

/// Judges waits for loads: the load must suit the reader, and the wait must end. For the owner
/// before of an arrived slot a reader waits without one, briefly.
extension AnswerJudge {
    func noteTaken(
        _ taken: [SimulatedShard.Request], by shard: SimulatedShard, _ clock: Instant
    ) {
        guard settings.origin != nil else { return }
        for frame in taken {
            let id = frame.bytes.withUnsafeBytes { MessageHeader.requestID(ofDamaged: $0) }
            guard let request = requests[id] else { continue }
            requests[id]?.takenStep = step
            requests[id]?.takenAt = clock
            switch request.purpose {
            case .get, .load, .proof, .prefetch: shard.pending.append(id)
            default: break
            }
        }
    }

    /// Judges a shard after a turn. Every waiting reader must have time left and a load in flight.
    /// That load must have begun after every invalidation that the reader may rely on.
    func judgeWaits(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        for id in shard.pending {
            guard let request = requests[id] else { continue }
            let wait = Duration.milliseconds(request.deadlineMilliseconds)
            try Violation.unless(
                clock < request.takenAt.advanced(by: wait),
                "\(shard.place) lets a reader wait longer than it said")
            guard !request.isStrong, request.atLeast == nil, settings.tiers == nil,
                request.items.count == 1
            else { continue }
            let asksOwnerBefore =
                shard.pulledItems.contains(request.items[0])
                && clock < request.takenAt.advanced(by: HandOverLimits.readerWaitMax)
            if asksOwnerBefore { continue }
            try judgeWait(for: request.items[0], since: request.takenStep, at: shard)
        }
    }

    private func judgeWait(
        for item: Int, since taken: Int, at shard: SimulatedShard
    ) throws(Violation) {
        let begun = shard.memory.loads.beginnings(of: item)
        guard let newest = begun.max() else {
            throw Violation("\(shard.place) lets a reader wait for key \(item) without a load")
        }
        let covered = shard.memory.loads.coveredStep(of: item)
        guard covered < taken, newest < covered, begun.count < 2 else { return }
        throw Violation(
            "\(shard.place) lets a reader of key \(item) wait for a load that began before it "
                + "obeyed an invalidation of that key")
    }
}
