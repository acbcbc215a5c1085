import CacheLoading
import CacheModel

/// The parameters of a load.
struct LoadManner {
    var urgency: LoadUrgency
    /// The readers that wait for it.
    var readers: [LoadReader] = []
    /// Whether the request to the origin is conditional, if a value is held.
    var isConditional = true
    /// The required freshness if no reader waits.
    var freshnessBehind = LoadFreshness.any
    /// Whether a peer could return a usable value.
    var peersMayHelp = true
    /// The asker whose share of the loads it uses; `nil`: no share.
    var asker: UInt32?
    /// Whether the counters of loads include it.
    var isCounted = true
    /// The external request for which it began.
    var trace: TraceContext?

    /// The required freshness of a peer's value.
    var freshness: LoadFreshness {
        .forAll([freshnessBehind] + readers.map(\.freshness))
    }

    /// Whether a peer may be asked, if there is one.
    var mayAskPeer: Bool { peersMayHelp && !readers.contains(where: \.isForPeer) }
}
