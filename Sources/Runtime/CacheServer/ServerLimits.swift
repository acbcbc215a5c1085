import CacheAccess
import CacheNodeCore
import CacheWire
import ZeroMQ

/// Bounds of a node's sockets.
enum ServerLimits {
    /// Replies queued for one peer. libzmq learns of what was read only every half of this, so a
    /// peer may have half of it on its way without losing a reply: 4 096 requests.
    static let repliesPerPeerMax = 8_192
    /// Bytes of replies of one shard that one peer, all peers with one key, and all together may
    /// leave untaken before they are told to try again.
    static let untaken = UntakenLimits(
        peerBytesMax: 48 << 20, holderBytesMax: 128 << 20, allBytesMax: 256 << 20)
    typealias UntakenLimits = UnsentLedger<PeerID, PrincipalNumber>.Limits
    /// Requests of one peer that libzmq takes in while its shard has no time for them; then it
    /// stops reading, and the peer's own queues fill. It reads on whenever half of them were taken:
    /// twice what a turn takes, so that half is there for the next turn while one is answered.
    static let requestsPerPeerMax = 2 * ShardLimits.framesPerTurnMax
    /// Frames up to this length, with the room beside them, are made in memory that was freed
    /// before, of which each of the allocator's areas keeps so much. Else a busy node would have
    /// the system clear every page of every long frame anew.
    static let reusedAllocationMax = 2 * WireLimits.frameBytesMax + 4_096
    static let keptMemoryBytes = 16 << 20
    /// Between two tries to open a disk tier's file.
    static let diskRetryInterval = Duration.seconds(30)
    /// Between two lines of the log that say how far opening a disk tier has come.
    static let diskProgressInterval = Duration.seconds(5)
    /// Between two measurements of the free space on a disk tier's file system.
    static let diskMeasureInterval = Duration.seconds(1)
    /// How long a disk may do nothing at all while a tier is opened: then its shard begins without.
    static let diskPatience = Duration.seconds(60)
    /// Answers of one shard that a warm-up takes before it looks at the others.
    static let warmUpAnswersPerTurn = 64
    /// Shards from which keys are requested for readers that wait, until the topology changes; keys
    /// of others are misses until they are copied. A poller watches them beside a peer's shards.
    static let pullLinksMax = 128
    /// Between two lines of the log that say how far it is.
    static let warmUpReportInterval = Duration.seconds(10)
    /// Between two updates of its figures.
    static let warmUpFigureInterval = Duration.milliseconds(200)
    /// Between two lines of the log that say that namespaces are refused.
    static let namespaceReportInterval = Duration.seconds(60)
    /// Between two lines of the log that say that origins have rejected writes.
    static let rejectionReportInterval = Duration.seconds(10)
    /// How long a disk tier may take to be ended in order.
    static let diskCloseMax = Duration.seconds(10)
}
