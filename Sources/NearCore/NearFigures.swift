/// What a near cache has done since it began.
package struct NearFigures: Hashable, Sendable {
    /// Reads that were answered, and reads that a node had to be asked for.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    package var kept: UInt64 = 0
    /// Let go of for what the log or somebody here has changed.
    package var dropped: UInt64 = 0
    /// Let go of for its age.
    package var expired: UInt64 = 0
    /// Let go of for want of room.
    package var evicted: UInt64 = 0
    /// What is held now.
    package var entries = 0
    package var bytes = 0

    package init() {}
}
