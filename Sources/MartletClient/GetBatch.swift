import CacheClientCore
import CacheModel
import CacheWire

/// A message of plain gets and who waits for each of them: being filled, waiting for room, or on
/// its way. Lives on the loop's thread, which uses it again and again.
final class GetBatch {
    /// Who waits for one get of the message; in the order of its keys.
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
    /// When the first of those that wait has no more time.
    var deadline: Instant { draft.deadline }
    /// Whether each of its gets is still waited for.
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

    /// Takes one out to be settled.
    ///
    /// - Returns: `nil` if it is already.
    func take(_ index: Int) -> SingleGet.Caller? {
        guard let caller = waiting[index].caller else { return nil }
        waiting[index].caller = nil
        openCount -= 1
        return caller
    }

    /// Looks anew until when those that still wait do.
    func renewDeadline() {
        var soonest = Instant(nanoseconds: .max)
        for one in waiting where one.caller != nil { soonest = min(soonest, one.deadline) }
        draft.lasts(until: soonest)
    }
}
