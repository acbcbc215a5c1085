/// What a shard's core has done with its disk tier since that was opened.
struct ShardDiskStatistics: Equatable {
    /// Entries that came back to memory.
    var promoted: UInt64 = 0
    /// Records that were read, and were not to be seen any more, or another key's.
    var passedOver: UInt64 = 0
    /// Messages that waited for a read.
    var waits: UInt64 = 0
    /// Those whose time was over before all their reads were answered: what had not come counts as
    /// a miss.
    var late: UInt64 = 0
    /// Operations that had to be asked for again: memory let go of what they need before its
    /// message was answered.
    var deferred: UInt64 = 0
    /// Segments that were not whole when the tier of an earlier life was read.
    var damagedSegments: UInt64 = 0
    /// 1 if a file was there, and nothing of it could be kept.
    var begunAnew: UInt64 = 0
}
