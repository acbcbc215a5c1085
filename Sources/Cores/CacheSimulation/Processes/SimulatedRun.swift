import CacheModel
import CacheNodeCore

/// One run of a node: the real cores of its control thread and its shards, and the sockets and
/// mailboxes between them.
final class SimulatedRun {
    /// Messages of shards to the control thread.
    enum Letter {
        case publish(ShardPublishRequest)
        case askHead(ShardIndex, UInt64)
        case applied(ShardIndex, LogMark)
        case diskReady(ShardIndex, RecoveredPlace?)
        case drain
        case drained(ShardIndex)
        case gives
    }

    /// The links of a run, by their index in the world.
    struct Links {
        var live: Int
        var subscribe: Int
        var toPublisher: Int
        var fromPublisher: Int
        var requests: Int
        var answers: Int

        var all: [Int] { [live, subscribe, toPublisher, fromPublisher, requests, answers] }
    }

    /// Its sockets to one publisher.
    struct PublisherConnection {
        /// The publisher at the other end of the control connection.
        var publisher = 0
        /// The one that it subscribes to; `nil`: of several publishers, none has welcomed it.
        var livePublisher: Int?
        /// The ROUTER identity of the control connection.
        var peer: UInt32 = 0
        /// Whether the sockets try to reconnect.
        var isSought = false
        /// Messages that have arrived and were not read yet.
        var liveFrames: [[UInt8]] = []
        var controlFrames: [[UInt8]] = []
    }

    let number: Int
    let node: Int
    let clock: Clock
    /// The links to each publisher.
    let linksByPublisher: [Links]
    var control: NodeControlCore
    /// The shards that have opened their disk tiers; once all have, the core of the node starts.
    var roll: DiskRoll?
    /// The seed of the control thread's core.
    let seed: UInt64
    /// Where its publishers are, if there are several.
    let addresses: [PublisherAddress]
    /// The last standing of the node that was sent to the shards.
    var standingTold: NodeStanding?
    var shards: [SimulatedShard] = []
    /// `nil` if applications fill the caches.
    var originThread: SimulatedOriginThread?
    var letters: [Letter] = []
    /// Its sockets to the publisher.
    var connection = PublisherConnection()
    var actions: [NodeControlAction] = []
    var turnAt: WorldTime?
    /// The number of active faults that stop it.
    var pauseCount = 0
    var isDead = false
    /// Whether another run of the node has started since.
    var isSuperseded = false
    var memory = RunMemory()

    init(
        number: Int, node: Int, clock: Clock, links: [Links],
        _ control: (
            identity: NodeControlIdentity, addresses: [PublisherAddress], seed: UInt64,
            guards: Guards
        )
    ) {
        self.number = number
        self.node = node
        self.clock = clock
        linksByPublisher = links
        (seed, addresses) = (control.seed, control.addresses)
        if addresses.isEmpty { connection.livePublisher = 0 }
        self.control = NodeControlCore(
            identity: control.identity, publishers: addresses, seed: seed, guards: control.guards)
    }

    /// The links to the publisher that it addresses.
    var links: Links { linksByPublisher[connection.publisher] }
    /// The links to the publisher that it subscribes to.
    var liveLinks: Links? { connection.livePublisher.map { linksByPublisher[$0] } }
    var incarnation: Incarnation { control.identity.incarnation }
    var runs: Bool { !isDead && pauseCount == 0 }
}

/// One run of a node as the oracle sees it.
struct RunMemory {
    /// The step at which each generation of the publisher first granted it a lease.
    var firstGrants: [Int: Int] = [:]
    /// Whether it was ever up at the same time as another run of its node.
    var hasTwin = false
    /// The step at which a publisher last received a PING of it.
    var pingedStep = 0
    /// The step at which one of several publishers, proven to lead, last took its PING.
    var takenStep = 0
    /// When it was last granted a lease, or stored something under one.
    var leasedStep = 0
}
