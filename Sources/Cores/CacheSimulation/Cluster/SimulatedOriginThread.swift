import CacheLoading
import CacheModel
import CacheNodeCore

/// The thread between a node's shards and its origins: the real core, its mailbox, and attempts in
/// flight.
final class SimulatedOriginThread {
    /// Messages from other threads, the same as the server's.
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
    /// The request of each load, and its time.
    var requests: [LoadTicket: (request: OriginRequest, askedAt: Instant)] = [:]
    var attempts: [AttemptNumber: Attempt] = [:]
    var turnAt: WorldTime?

    init(seed: UInt64) {
        desk = OriginDesk(seed: seed)
    }
}
