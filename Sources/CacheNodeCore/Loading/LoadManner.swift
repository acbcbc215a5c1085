import CacheLoading
import CacheModel

/// How a load is made.
struct LoadManner {
    var urgency: LoadUrgency
    /// Who waits for it.
    var readers: [LoadReader] = []
    /// Whether the origin is only asked for what has changed, if something is held.
    var isConditional = true
    /// How new it has to be for whoever does not wait for it.
    var freshnessBehind = LoadFreshness.any
    /// Whether a peer could give what is needed.
    var peersMayHelp = true
    /// Whose share of the loads it takes; `nil`: nobody's.
    var asker: UInt32?
    /// Which request of the outside it began for.
    var trace: TraceContext?

    /// How new it has to be if a peer gives it.
    var freshness: LoadFreshness {
        .forAll([freshnessBehind] + readers.map(\.freshness))
    }

    /// Whether a peer may be asked, where there is one to ask.
    var mayAskPeer: Bool { peersMayHelp && !readers.contains(where: \.isForPeer) }
}
