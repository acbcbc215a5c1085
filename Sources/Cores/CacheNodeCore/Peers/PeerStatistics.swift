/// Counters of a node's requests to its peers since its start.
package struct PeerStatistics: Equatable, Sendable {
    /// Request frames, including those for parts of a value.
    package var questions: UInt64 = 0
    /// Loads that a peer answered.
    package var answers: UInt64 = 0
    /// Loads for which a peer was asked and returned nothing.
    package var askedInVain: UInt64 = 0
}
