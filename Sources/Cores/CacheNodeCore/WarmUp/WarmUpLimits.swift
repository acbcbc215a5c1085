/// Bounds of warm-up.
package enum WarmUpLimits {
    /// Timeout of an answer of a peer's shard; then the next peer is asked.
    package static let answerTimeout = Duration.seconds(2)
    /// How long a node that is LIVE waits to learn of a replica, and for one that is not LIVE.
    package static let replicaWaitMax = Duration.seconds(60)
    /// Maximum tries of a peer that does not answer.
    package static let triesPerPeerMax = 3
    /// The same for an owner before of slots, which gives its entries for a minute.
    package static let triesPerArrivalMax = 2
    /// Between two tries of one peer.
    package static let retryInterval = Duration.seconds(2)
    /// Maximum tries of one batch, and the pause before a repetition.
    package static let triesPerBatchMax = 3
    package static let batchRest = Duration.milliseconds(100)
    package static let keysPerPageMax = 1_024
    /// Keys per batch, and the approximate bytes of their entries: one answer of a peer's shard.
    package static let keysPerBatchMax = 256
    package static let bytesPerBatchMax = 256 << 10
    /// Between two pages. For one page a peer's shard may examine tens of thousands of entries,
    /// which takes some milliseconds, also if it lists none of them.
    package static let pageRest = Duration.milliseconds(12)
    /// A value of this size does not fit only if hardly any value does.
    package static let ordinaryValueBytes = 4 << 10
    /// This many keys that are held here already cost a peer as much as one that is copied.
    package static let heldKeysPerKey = 8
}
