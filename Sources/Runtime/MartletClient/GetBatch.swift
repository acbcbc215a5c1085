import CacheClientCore
import CacheModel
import CacheWire

/// A message of plain gets and the callers that wait for them. It is being filled, waits for
/// capacity of its shard, or is in flight. Lives on the loop's thread, which reuses it.
final class GetBatch {
    /// The waiting caller of one get of the message, in the order of the message's keys.
    struct Waiting {
        let ticket: UInt64
        let deadline: Instant
        /// `nil` once it is settled.
        var caller: SingleGet.Caller?
    }

    var draft = GetDraft()
    private(set) var waiting: [Waiting] = []
    /// Those that are not settled.
    private(set) var openCount = 0

    var begunAt: Instant { draft.begunAt }
    /// The earliest deadline of the waiting gets.
    var deadline: Instant { draft.deadline }
    /// Whether all of its gets still wait.
    var isWhole: Bool { openCount == waiting.count }

    init() { waiting.reserveCapacity(ClientLimits.operationsPerMessageMax) }

    func begin(_ head: GetDraft.Head, at now: Instant) {
        draft.begin(head, at: now)
        waiting.removeAll(keepingCapacity: true)
        openCount = 0
    }

    func append(_ get: SingleGet) {
        draft.append(key: get.key.bytes, options: get.options, deadline: get.deadline)
        waiting.append(Waiting(ticket: get.ticket, deadline: get.deadline, caller: get.caller))
        openCount += 1
    }

    /// Removes one caller, to be resumed.
    ///
    /// - Returns: `nil` if it is already settled.
    func take(_ index: Int) -> SingleGet.Caller? {
        guard let caller = waiting[index].caller else { return nil }
        waiting[index].caller = nil
        openCount -= 1
        return caller
    }

    /// Recomputes the deadline from the gets that still wait.
    func renewDeadline() {
        var soonest = Instant(nanoseconds: .max)
        for one in waiting where one.caller != nil { soonest = min(soonest, one.deadline) }
        draft.lasts(until: soonest)
    }
}
