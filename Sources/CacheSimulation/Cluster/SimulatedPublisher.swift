import CacheInvalidation
import CacheModel
import PublisherCore

/// The publisher's thread: the real mind with its log in memory, and its two sockets.
final class SimulatedPublisher {
    /// Whom the ROUTER means by a peer.
    enum Owner {
        case run(Int)
        case writer
    }

    /// Every start makes another, with an empty log.
    private(set) var generation = 0
    var mind: PublisherMind<MemoryLog>
    let clock: Clock
    var frames: [(peer: UInt32, bytes: [UInt8])] = []
    var subscriptionCount = 0
    /// The connections of the live channel, by run.
    var subscriptions: [Int: Int] = [:]
    var owners: [UInt32: Owner] = [:]
    var turnAt: WorldTime?
    var isUp = false
    var pauseCount = 0
    /// The furthest mark that a node told this generation before it decided where its log stands.
    var furthestTold = LogPosition.none
    var hasDecided = false

    init(clock: Clock, mind: consuming PublisherMind<MemoryLog>) {
        self.clock = clock
        self.mind = mind
    }

    func start(_ mind: consuming PublisherMind<MemoryLog>) {
        generation += 1
        self.mind = mind
        frames = []
        subscriptionCount = 0
        subscriptions = [:]
        owners = [:]
        furthestTold = .none
        hasDecided = false
        isUp = true
    }

    var runs: Bool { isUp && pauseCount == 0 }
}
