import CacheHTTP
import CacheModel
import MartletClient

/// What was found of a key.
enum LookedUp: Sendable {
    case found(FoundValue)
    /// Nothing, and the client offered to fill it.
    case offer(FillOffer)
    case nothing

    /// - Parameter cluster: of which positions are; none where that is not known.
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
