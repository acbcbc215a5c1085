import CacheModel
import CacheNodeCore

/// One run of a node: the real minds of its control thread and its shards, and the sockets and
/// mailboxes between them.
final class SimulatedRun {
    /// What shards told the control thread.
    enum Letter {
        case publish(ShardPublishRequest)
        case askHead(ShardIndex, UInt64)
        case applied(ShardIndex, LogMark)
        case diskReady(ShardIndex, RecoveredPlace?)
    }

    /// The links of a run, by their place among the world's.
    struct Links {
        var live: Int
        var subscribe: Int
        var toPublisher: Int
        var fromPublisher: Int
        var requests: Int
        var answers: Int

        var all: [Int] { [live, subscribe, toPublisher, fromPublisher, requests, answers] }
    }

    let number: Int
    let node: Int
    let clock: Clock
    let links: Links
    var control: NodeControlCore
    /// Which shards have opened their disk tiers, until all have: then its mind begins.
    var roll: DiskRoll?
    /// Of its control thread's mind.
    let seed: UInt64
    /// What the shards were told last of how the node stands.
    var standingTold: NodeStanding?
    var shards: [SimulatedShard] = []
    /// `nil` where applications fill the caches.
    var originThread: SimulatedOriginThread?
    var letters: [Letter] = []
    var liveFrames: [[UInt8]] = []
    var controlFrames: [[UInt8]] = []
    var actions: [NodeControlAction] = []
    var turnAt: WorldTime?
    /// What the publisher's ROUTER calls its control connection.
    var peer: UInt32 = 0
    /// Each fault that stops it counts.
    var pauseCount = 0
    var isDead = false
    /// Whether its sockets look for a publisher that is gone.
    var seeksPublisher = false
    /// At which step each generation of the publisher granted it a lease for the first time.
    var firstGrants: [Int: Int] = [:]
    /// Whether another run of the node has started since.
    var isSuperseded = false
    /// Whether it was ever up beside another run of its node.
    var hasTwin = false

    /// When a publisher was handed a PING of it last.
    var pingedStep = 0

    init(
        number: Int, node: Int, clock: Clock, links: Links,
        _ control: (identity: NodeControlIdentity, seed: UInt64, guards: Guards)
    ) {
        self.number = number
        self.node = node
        self.clock = clock
        self.links = links
        seed = control.seed
        self.control = NodeControlCore(
            identity: control.identity, seed: seed, guards: control.guards)
    }

    var incarnation: Incarnation { control.identity.incarnation }
    var runs: Bool { !isDead && pauseCount == 0 }
}
