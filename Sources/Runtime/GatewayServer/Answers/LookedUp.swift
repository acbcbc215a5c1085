import CacheHTTP
import CacheModel
import MartletClient

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
