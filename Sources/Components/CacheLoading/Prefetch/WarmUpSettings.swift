/// Whether and how a newly started node of a replicated cluster is filled from its peers.
package struct WarmUpSettings: Hashable, Sendable {
    /// The source of the copied entries.
    package enum Source: String, CaseIterable, Sendable {
        case off
        case peers
    }

    package var source = Source.peers
    /// Maximum number of copied keys; `nil`: as many as fit.
    package var keysMax: Int?
    /// Maximum keys per second.
    package var perSecond = 20_000
    /// Maximum bytes of values per second.
    package var bytesPerSecond = 32 << 20

    package init() {}
}
