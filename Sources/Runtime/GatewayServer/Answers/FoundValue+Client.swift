import ByteCoding
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
        applied = receipt.applied.map { ($0.node, $0.elapsed) }
        expired = receipt.expired.map { ($0.node, $0.elapsed) }
        pending = receipt.pending
    }
}

/// The result of a lookup.
enum LookedUp: Sendable {
    case found(FoundValue)
    /// No value; the client may fill it.
    case offer(FillOffer)
    case nothing

    /// - Parameter cluster: the cluster of positions; none if unknown.
    init(_ finding: CacheClient.Finding, of cluster: ClusterID) {
        var offer = FillOffer()
        switch finding {
        case .found(let value):
            self = .found(FoundValue(value, of: cluster))
            return
        case .right(let right): offer.right = LoadRight(right.token, of: right.node)
        case .wait(let duration): offer.retryAfter = duration
        case .nothing(let refusal): offer.reason = refusal?.sentence
        }
        self = .offer(offer)
    }
}

extension ReadOptions {
    /// The read options for the terms of a request. ETag, version and tags are always requested:
    /// fields of the answer depend on them.
    init(_ terms: ReadTerms) {
        self.init()
        atLeast = terms.atLeast
        atLeastCluster = terms.atLeastCluster
        isFresh = terms.isFresh
        policy = terms.isOnlyIfCached ? .cacheOnly : nil
        maxAge = terms.maxAge
        switch terms.staleness {
        case nil: break
        case .any: allowsStale = true
        case .upTo(let duration): maxStale = duration
        }
        wantsDetails = true
        trace = RequestTrace.forReads
    }
}
