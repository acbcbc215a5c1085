import CacheModel
import CacheNodeCore

/// A node of one shard: its two cores, and the links by which it hears.
final class StagedNode {
    enum Link {
        case open
        /// What is sent waits.
        case held
        /// What is sent is lost.
        case cut
    }

    let name: String
    let number: Int
    let incarnation: Incarnation
    var control: NodeControlCore
    var shard: ShardCore
    var replies = ReplyBuffer()
    var effects: [ShardEffect] = []
    var actions: [NodeControlAction] = []
    /// Publisher to node, on both channels, and node to publisher.
    var live: Link = .open
    var toNode: Link = .open
    var toPublisher: Link = .open
    var liveFrames: [[UInt8]] = []
    var controlFrames: [[UInt8]] = []
    var sentFrames: [[UInt8]] = []
    /// Stopped, with everything it holds; its clock goes on.
    var isPaused = false
    var isDead = false
    /// What its shard answers, until somebody looks.
    var answers: [[UInt8]] = []

    init(name: String, number: Int, incarnation: UInt64, now: Instant) {
        guard let id = NodeID(name) else { preconditionFailure("\(name) is no name") }
        self.name = name
        self.number = number
        self.incarnation = Incarnation(incarnation)
        control = NodeControlCore(
            identity: NodeControlIdentity(
                node: id, incarnation: Incarnation(incarnation),
                endpoints: ["tcp://127.0.0.1:\(number)"]),
            seed: incarnation)
        shard = ShardCore(
            options: ShardOptions(
                node: id, shardIndex: ShardIndex(0), incarnation: Incarnation(incarnation),
                memoryBytes: 16 << 20, seed: 5 &+ incarnation))
        control.start(now: now, into: &actions)
    }

    var runs: Bool { !isPaused && !isDead }
    var state: NodeState { control.standing.state }
    var applied: LogPosition { shard.applied.position }
}
