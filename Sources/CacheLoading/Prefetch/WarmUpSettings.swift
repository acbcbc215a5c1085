/// Whether and how a node of a replicated cluster that has just started is filled from its peers.
package struct WarmUpSettings: Hashable, Sendable {
    /// Where it copies entries from.
    package enum Source: String, CaseIterable, Sendable {
        /// Nowhere: it begins empty.
        case off
        /// LIVE replicas.
        case peers
    }

    package var source = Source.peers
    /// Most keys that are copied; `nil`: as many as there is room for.
    package var keysMax: Int?
    /// Most keys a second.
    package var perSecond = 20_000
    /// Most bytes of values a second.
    package var bytesPerSecond = 32 << 20

    package init() {}
}
