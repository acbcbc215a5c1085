import CacheLoading
import CacheModel

/// A load for which a peer is asked.
struct PeerLoad {
    var load: ShardLoad
    var terms: PeerTerms
    /// Its deadline, wherever it is made.
    let deadline: Instant
    /// Peers that returned nothing.
    var askedInVain: [NodeID] = []
    /// The peer that is being asked, and its shard's endpoint.
    var node: NodeID
    var endpoint = ""
    /// The number of the request under way.
    var question: UInt64 = 0
    /// The received parts of a value of several frames.
    var partial: PartialValue?

    /// The current request to the origin.
    func request(now: Instant) -> OriginRequest {
        var request = load.request
        request.timeout = deadline.elapsed(since: now)
        return request
    }
}
