import CacheClientCore
import CacheModel
import CacheWire

/// A message of plain gets and the callers that wait for them. It is being filled, waits for
/// capacity of its shard, or is in flight. Lives on the loop's thread, which reuses it.
final class GetBatch {
    struct Waiting {
        let ticket: UInt64
        let deadline: Instant
        /// `nil` once it is settled.
        var caller: SingleGet.Caller?
    }

    var draft = GetDraft()
    private(set) var waiting: [Waiting] = []
    private(set) var openCount = 0

    var begunAt: Instant { draft.begunAt }
    var deadline: Instant { draft.deadline }
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

/// A plain get of one key on its way to the loop.
struct SingleGet: Sendable {
    typealias Caller = UnsafeContinuation<ReadEnding, Never>

    let key: CacheKey
    let namespace: Namespace
    let options: GetOperation.Options
    let deadline: Instant
    /// Identifies the get for a cancellation; unique within the client.
    let ticket: UInt64
    /// Unchecked, because a checked continuation is an allocation for each get. The code that
    /// settles a get resumes its caller once and then forgets it.
    let caller: Caller
}

enum ReadEnding: Sendable {
    case found(CachedValue)
    case missing
    case failed(CacheError)
    /// The value is larger than a frame: this is its first part.
    indirect case firstPart(OperationAnswer)
    /// The first attempt failed, and the get is retried.
    indirect case again(FailedAttempt)
    /// Nothing was sent: the general path takes over.
    case untried
}

struct FailedAttempt: Sendable {
    var schedule: RetrySchedule
    /// The earliest time of a retry.
    var due: Instant
    var answer: OperationAnswer?
    var avoided: NodeIndex?
    var isAlone = false
}
