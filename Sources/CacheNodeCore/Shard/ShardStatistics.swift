/// What one shard has done since it started. A plain value.
package struct ShardStatistics: Equatable, Sendable {
    package var messages: UInt64 = 0
    package var gets: UInt64 = 0
    package var hits: UInt64 = 0
    package var staleHits: UInt64 = 0
    package var misses: UInt64 = 0
    package var behind: UInt64 = 0
    package var sets: UInt64 = 0
    package var stored: UInt64 = 0
    /// Entries that hold again because the origin said so.
    package var renewed: UInt64 = 0
    package var removes: UInt64 = 0
    package var touches: UInt64 = 0
    package var tokens: UInt64 = 0
    package var waits: UInt64 = 0
    /// Strong reads: messages that waited for the publisher's head.
    package var headWaits: UInt64 = 0
    package var busy: UInt64 = 0
    /// Whole messages refused: garbage, other versions, limits.
    package var refusedMessages: UInt64 = 0
    package var appliedRecords: UInt64 = 0
    package var forgotten: UInt64 = 0
    /// Records of a form that this release cannot read.
    package var newerRecords: UInt64 = 0
    /// Times the memory budget was lowered.
    package var memoryShrinks: UInt64 = 0

    package init() {}
}
