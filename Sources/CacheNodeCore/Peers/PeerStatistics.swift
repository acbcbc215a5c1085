/// What a node has asked of its peers since it was started.
package struct PeerStatistics: Equatable, Sendable {
    /// Frames with a question, those for parts of a value among them.
    package var questions: UInt64 = 0
    /// Loads that a peer answered.
    package var answers: UInt64 = 0
    /// Loads that a peer was asked for and gave nothing.
    package var askedInVain: UInt64 = 0
}
