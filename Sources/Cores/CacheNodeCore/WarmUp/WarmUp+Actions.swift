import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

extension WarmUp {
    /// A node that may be asked: a replica, or the owner before of slots that arrived here.
    package struct Peer: Hashable, Sendable {
        package var node: NodeID
        package var shardCount: Int
        /// `nil`: a replica.
        package var arrival: Arrival?

        package init(node: NodeID, shardCount: Int) {
            self.node = node
            self.shardCount = shardCount
        }

        package init(_ arrival: Arrival) {
            self.arrival = arrival
            (node, shardCount) = (arrival.move.node, arrival.move.shard + 1)
        }

        /// Its shards to be asked.
        var shards: Range<Int> { (arrival?.move.shard ?? 0)..<shardCount }

        var change: LogPosition? { arrival?.move.change }
    }

    /// Slots that one of this node's shards got from a peer's shard.
    package struct Arrival: Hashable, Sendable {
        package let move: SlotMove
        /// Of this node.
        package let shard: Int

        package init(_ move: SlotMove, at shard: Int) {
            self.move = move
            self.shard = shard
        }
    }

    /// The position applied here before a peer was asked: its values count as read then.
    package struct Fence: Hashable, Sendable {
        package let mark: LogMark
        /// The same in stored form; distinguishes the logs that this run has followed.
        let stamp: FillStamp

        /// The position as of which a copy counts as read: the one applied here before the peer
        /// was asked. The peer had applied as much of the same log, and vouched for the value
        /// after that.
        func fill(at applied: FillStamp, _ guards: Guards) -> FillStamp {
            guards.isOn(.copyFence) ? min(stamp, applied) : applied
        }
    }

    /// A request to a peer's shard.
    package struct Question: Hashable, Sendable {
        /// Identifies its answer.
        package var number: UInt64
        package var peer: NodeID
        package var shard: Int
        /// The record that moved slots from there; `nil`: it is a replica.
        var change: LogPosition?
        var content: Content
    }

    enum Content: Hashable, Sendable {
        /// Whether it gives copies, and its contents.
        case survey
        /// A page of its keys.
        case page(Place, cursor: UInt64)
        /// Entries.
        case copies(CopyRequest)
    }

    /// A namespace in a peer's shard, and the keys to list.
    struct Place: Hashable, Sendable {
        var shard: Int
        var namespace: Namespace
        var isHottest: Bool
    }

    /// Entries requested from a peer's shard.
    package struct CopyRequest: Hashable, Sendable {
        package var namespace: Namespace
        package var keys: [CacheKey]
        var fence: Fence
        /// The record that moved the keys' slots here; `nil`: a replica is asked.
        package var change: LogPosition?
        /// The rest of the only key's value.
        var part: GetOperation.Part?

        /// What the peer must have applied.
        package var position: LogPosition { fence.mark.position }

        package init(namespace: Namespace, keys: [CacheKey], fence: Fence) {
            self.namespace = namespace
            self.keys = keys
            self.fence = fence
        }
    }

    /// Keys that one of this node's shards must check for missing ones.
    package struct Claim: Hashable, Sendable {
        package var number: UInt64
        /// Of this node.
        package var shard: Int
        package var namespace: Namespace
        package var keys: [CacheKey]
        /// The record that moved their slots here; `nil`: a replica listed them.
        package var change: LogPosition?
    }

    package struct Claimed: Hashable, Sendable {
        package var fence: Fence
        /// Indices of keys.
        package var missing: [Int]
    }

    /// An entry returned by a peer.
    package struct Copy: Equatable, Sendable {
        var key: CacheKey
        var value: [UInt8]
        /// As of the peer's answer.
        var facts: LoadedFacts
        var isUnfenced: Bool
    }

    /// Entries for one of this node's shards.
    package struct Batch: Equatable, Sendable {
        package var number: UInt64
        /// Of this node.
        package var shard: Int
        package var namespace: Namespace
        var fence: Fence
        /// The record that moved the keys' slots here; `nil`: a replica was asked.
        var change: LogPosition?
        /// When the peer was asked: lifetimes and ages count from then.
        var askedAt: Instant
        package var copies: [Copy]
        /// Whether colder entries may be evicted for them: readers wait for these.
        package var mayEvict = false
        /// Keys that the peer has, without room for them in its answer.
        var deferred: [CacheKey] = []

        package init(
            number: UInt64 = 0, shard: Int, of request: CopyRequest, askedAt: Instant,
            copies: [Copy]
        ) {
            self.number = number
            self.shard = shard
            namespace = request.namespace
            fence = request.fence
            change = request.change
            self.askedAt = askedAt
            self.copies = copies
        }
    }

    package struct Stored: Hashable, Sendable {
        package var count = 0
        /// Of their values.
        var bytes = 0
        /// No more can be stored without an eviction.
        var isFull = false
    }

    package enum Action: Equatable, Sendable {
        case ask(Question)
        case claim(Claim)
        case store(Batch)
        case over
    }

    /// Progress of warm-up.
    package struct Progress: Hashable, Sendable {
        package enum Phase: UInt8, Sendable {
            /// No warm-up.
            case idle = 0
            /// Asks for a peer's contents.
            case asking = 1
            case copying = 2
            /// Complete.
            case done = 3
            /// The node left or stopped before.
            case stopped = 4
            /// Waits for a LIVE replica.
            case waiting = 5
        }

        package var phase = Phase.idle
        /// Whether entries are being copied, or about to be.
        package var isCopying: Bool { phase == .asking || phase == .copying }
        /// The peer that is, or was last, asked; `nil`: none was.
        package var peer: NodeID?
        /// Keys of the peer, and how many of them are held here.
        package var keyCount = 0
        package var doneCount = 0
        /// Keys that a peer listed and did not return, or that could not be stored.
        package var failedCount = 0
        /// Keys copied from all peers.
        package var copiedCount = 0
        package var copiedBytes = 0
        /// Peers that were asked for all their entries, or for as many as needed.
        package var replicaCount = 0
    }
}
