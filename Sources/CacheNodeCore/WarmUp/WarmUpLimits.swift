/// Every bound of warming up.
package enum WarmUpLimits {
    /// How long a peer's shard may take for an answer before the next peer is asked.
    package static let answerTimeout = Duration.seconds(2)
    /// How long a node that is LIVE waits to hear of a replica, and for one that is not LIVE.
    package static let replicaWaitMax = Duration.seconds(60)
    /// How often a peer that did not answer is tried.
    package static let triesPerPeerMax = 3
    /// Between two tries of one peer.
    package static let retryInterval = Duration.seconds(2)
    /// How often one batch is asked for, and the rest before it is asked for again.
    package static let triesPerBatchMax = 3
    package static let batchRest = Duration.milliseconds(100)
    package static let keysPerPageMax = 1_024
    /// Keys of one batch, and about the bytes of their entries: what a peer's shard answers in one
    /// go.
    package static let keysPerBatchMax = 256
    package static let bytesPerBatchMax = 256 << 10
    /// Between two pages. For one a peer's shard may look at tens of thousands of entries, which
    /// takes some milliseconds, also where it lists none of them.
    package static let pageRest = Duration.milliseconds(12)
    /// A value of so many bytes has no room only where hardly anything has.
    package static let ordinaryValueBytes = 4 << 10
    /// So many keys that are here already cost a peer as much as one that is copied.
    package static let heldKeysPerKey = 8
}
