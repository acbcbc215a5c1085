import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

extension WarmUp {
    /// A replica that may be asked.
    package struct Peer: Hashable, Sendable {
        package var node: NodeID
        package var shardCount: Int

        package init(node: NodeID, shardCount: Int) {
            self.node = node
            self.shardCount = shardCount
        }
    }

    /// What had been applied here before a peer was asked: what it gives counts as read then.
    package struct Fence: Hashable, Sendable {
        package let mark: LogMark
        /// The same as entries bear it; tells the logs that this run has followed apart.
        let stamp: FillStamp
    }

    /// Something that a peer's shard is asked.
    package struct Question: Hashable, Sendable {
        /// By which its answer is told.
        package var number: UInt64
        package var peer: NodeID
        package var shard: Int
        var content: Content
    }

    enum Content: Hashable, Sendable {
        /// Whether it gives copies, and what it has.
        case survey
        /// A page of its keys.
        case page(Place, cursor: UInt64)
        /// Entries.
        case copies(CopyRequest)
    }

    /// A namespace in a peer's shard, and which of its keys are looked for.
    struct Place: Hashable, Sendable {
        var shard: Int
        var namespace: Namespace
        var isHottest: Bool
    }

    /// Entries that a peer's shard is asked for.
    package struct CopyRequest: Hashable, Sendable {
        var namespace: Namespace
        var keys: [CacheKey]
        var fence: Fence
        /// The rest of the only key's value.
        var part: GetOperation.Part?

        package init(namespace: Namespace, keys: [CacheKey], fence: Fence) {
            self.namespace = namespace
            self.keys = keys
            self.fence = fence
        }
    }

    /// Keys of which one of this node's shards is to say which are missing.
    package struct Claim: Hashable, Sendable {
        package var number: UInt64
        /// Of this node.
        package var shard: Int
        package var namespace: Namespace
        package var keys: [CacheKey]
    }

    package struct Claimed: Hashable, Sendable {
        package var fence: Fence
        /// Indices of keys.
        package var missing: [Int]
    }

    /// An entry that a peer has given.
    package struct Copy: Equatable, Sendable {
        var key: CacheKey
        var value: [UInt8]
        /// As of when the peer answered.
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
        /// When the peer was asked: lifetimes and ages count from then.
        var askedAt: Instant
        package var copies: [Copy]

        package init(
            number: UInt64 = 0, shard: Int, of request: CopyRequest, askedAt: Instant,
            copies: [Copy]
        ) {
            self.number = number
            self.shard = shard
            namespace = request.namespace
            fence = request.fence
            self.askedAt = askedAt
            self.copies = copies
        }
    }

    package struct Stored: Hashable, Sendable {
        package var count = 0
        /// Of their values.
        var bytes = 0
        /// No more can be stored without evicting something.
        var isFull = false
    }

    package enum Action: Equatable, Sendable {
        case ask(Question)
        case claim(Claim)
        case store(Batch)
        case over
    }

    /// How far it is.
    package struct Progress: Hashable, Sendable {
        package enum Phase: UInt8, Sendable {
            /// There is none.
            case idle = 0
            /// Asks what a peer has.
            case asking = 1
            case copying = 2
            /// To its end.
            case done = 3
            /// The node left or stopped before.
            case stopped = 4
            /// For a LIVE replica.
            case waiting = 5
        }

        package var phase = Phase.idle
        /// The peer that is asked, or was last; `nil`: none was.
        package var peer: NodeID?
        /// What the peer has, and how much of that is here.
        package var keyCount = 0
        package var doneCount = 0
        /// What a peer listed and did not give, or could not be stored.
        package var failedCount = 0
        /// What was copied from all peers.
        package var copiedCount = 0
        package var copiedBytes = 0
        /// Peers that were asked for all that they hold, or for as much as was wanted.
        package var replicaCount = 0
    }
}
