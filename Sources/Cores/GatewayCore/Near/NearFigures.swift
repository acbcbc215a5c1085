/// Counters of a near cache since its start.
package struct NearFigures: Hashable, Sendable {
    /// Reads that the near cache answered, and reads that went to a node.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    package var kept: UInt64 = 0
    /// Entries removed because of a record of the log or a change through this gateway.
    package var dropped: UInt64 = 0
    /// Entries removed because of their age.
    package var expired: UInt64 = 0
    /// Entries evicted for lack of capacity.
    package var evicted: UInt64 = 0
    /// Entries and bytes in the cache now.
    package var entries = 0
    package var bytes = 0

    package init() {}
}
