import CacheLoading
import CacheModel
import CacheNodeCore

/// The thread between a node's shards and its origins: the real desk, its mailbox, and attempts
/// that are under way.
final class SimulatedOriginThread {
    /// What other threads told it. The same letters as the server's.
    enum Letter {
        case policies
        case load(shard: Int, ShardLoad)
        case hasten(shard: Int, number: UInt64)
        case finished(AttemptNumber, AttemptOutcome)
    }

    /// One request at the origin.
    struct Attempt {
        let request: OriginRequest
        let began: WorldTime
        /// `nil` until the database was read for it.
        var outcome: AttemptOutcome?
    }

    var desk: OriginDesk
    var letters: [Letter] = []
    var actions: [OriginDesk.Action] = []
    /// What each load asked for, and when.
    var requests: [LoadTicket: (request: OriginRequest, askedAt: Instant)] = [:]
    var attempts: [AttemptNumber: Attempt] = [:]
    var turnAt: WorldTime?

    init(seed: UInt64) {
        desk = OriginDesk(seed: seed)
    }
}
