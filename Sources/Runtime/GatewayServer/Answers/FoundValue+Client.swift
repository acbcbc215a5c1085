import CacheHTTP
import CacheModel
import MartletClient

extension FoundValue {
    /// - Parameter cluster: the cluster of its position; none if unknown.
    init(_ value: CachedValue, of cluster: ClusterID) {
        self.init(value.bytes)
        self.cluster = cluster
        version = value.version
        etag = value.etag
        tags = value.tags
        representation = value.representation
        age = value.age
        timeToLive = value.timeToLive
        tier = Tier(rawValue: value.tier.rawValue) ?? .unknown
        isStale = value.isStale
        isSoftInvalidated = value.isSoftInvalidated
        isOvertaken = value.isOvertaken
        mustNotBeKept = value.mustNotBeKept
        isFenced = value.isFenced
        position = value.position
        node = value.node
        state = value.state
    }
}

extension ReceiptAnswer {
    /// - Parameter cluster: the cluster of its position; none if unknown.
    init(_ receipt: InvalidationReceipt, of cluster: ClusterID) {
        self.init(receipt.position, isComplete: receipt.isComplete)
        self.cluster = cluster
        applied = receipt.applied.map { Line($0.node, $0.elapsed) }
        expired = receipt.expired.map { Line($0.node, $0.elapsed) }
        pending = receipt.pending
    }
}
