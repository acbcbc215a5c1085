import CacheHTTP
import MartletClient

extension FoundValue {
    init(_ value: CachedValue) {
        self.init(value.bytes)
        version = value.version
        etag = value.etag
        tags = value.tags
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
    init(_ receipt: InvalidationReceipt) {
        self.init(receipt.position, isComplete: receipt.isComplete)
        applied = receipt.applied.map { Line($0.node, $0.elapsed) }
        expired = receipt.expired.map { Line($0.node, $0.elapsed) }
        pending = receipt.pending
    }
}
