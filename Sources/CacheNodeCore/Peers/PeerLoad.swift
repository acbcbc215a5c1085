import CacheLoading
import CacheModel

/// A load that a peer is asked for.
struct PeerLoad {
    var load: ShardLoad
    var terms: PeerTerms
    /// When it ends, whoever makes it.
    let deadline: Instant
    /// Who gave nothing.
    var askedInVain: [NodeID] = []
    /// The peer that is being asked, and where.
    var node: NodeID
    var endpoint = ""
    /// The number of the question that is under way.
    var question: UInt64 = 0
    /// What has come of a value that takes several frames.
    var partial: PartialValue?

    /// What the origin is to be asked, now.
    func request(now: Instant) -> OriginRequest {
        var request = load.request
        request.timeout = deadline.elapsed(since: now)
        return request
    }
}
