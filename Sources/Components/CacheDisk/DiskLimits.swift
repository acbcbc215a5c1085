import CacheModel

/// Every bound of a disk tier.
package enum DiskLimits {
    /// What offsets of the file's parts are multiples of.
    package static let pageBytes = 4_096
    package static let checkpointBytesMax = 64 << 20
    /// A page that says what the log is, and slots.
    package static let tailBytesMin = 2 * pageBytes
    package static let tailBytesMax = 256 << 20
    /// A test may have small segments; a record has to fit into one.
    package static let segmentBytesMin = 4_096
    package static let segmentBytesMax = 64 << 20
    /// What a configured size is divided into.
    package static let segmentBytesUsualMin = 512 << 10
    package static let segmentBytesUsualMax = 32 << 20
    /// Least size of a tier that somebody configures, for each shard.
    package static let fileBytesMin = 16 << 20
    /// One that is written, one that is reclaimed, and one that holds something.
    package static let segmentsMin = 3
    /// What a tier keeps while its file system is short of space, or an eighth if that is more.
    static let segmentsKeptMin = 4
    /// What a shard gives back at once; each measurement of the free space allows so many again.
    static let withdrawalsPerMeasurement = 4
    /// After room could not be reserved.
    static let spaceRetryMilliseconds: UInt64 = 30_000
    /// What 34 bits of places in units of eight bytes reach.
    package static let segmentBytesAllMax = 8 << 34
}

// MARK: - Numbers

extension DiskLimits {
    /// Counters and numbers of segments are below: a million a second take two thousand years. What
    /// is above was never written, and would overflow.
    package static let numberEnd: UInt64 = 1 << 56
}

// MARK: - Records

extension DiskLimits {
    package static let keyBytesMax = 4_096
    package static let valueBytesMax = 1 << 27 - 1
    package static let tagsMax = 64
    /// Of an entry's record, all but its value.
    static let headBytesMax =
        RecordHead.bytes + keyBytesMax + 256 + 8 + 1 + tagsMax * 256
        + Representation.storedBytesMax + 256 + 6 + 7
}

// MARK: - Work

extension DiskLimits {
    /// Reads of entries that are under way; more are shed.
    package static let readsMax = 1_024
    /// Bytes that they ask for together; a single one may be of any size.
    package static let readBytesMax = 32 << 20
    /// Parts of one value that are read at once.
    static let partReadsMax = 8
    /// Values that wait to be appended in parts; a single one may be of any size.
    static let storingBytesMax = 32 << 20
    /// Of them, what one turn appends: about half a millisecond.
    static let storedBytesPerSlice = 1 << 20
    /// Free slots of the tail without which a part takes none, as others need them.
    static let slotsLeftByParts = 4
    /// What reclaiming reads of a segment at once, to append its records again; a single one may
    /// be longer.
    static let reclaimReadBytes = 128 << 10
    /// Values in parts that reclaiming puts together at once.
    static let movesMax = 16
    /// What one slice of reclaiming or recovering does: about half a millisecond.
    package static let entriesPerSlice = 4_096
    package static let scannedBytesPerSlice = 512 << 10
    /// Entries of a footer whose buckets are fetched together.
    static let entriesFetched = 16
    /// Removals that wait for room. While there are any the log is unsafe; past them the tier is
    /// given up.
    package static let pendingRemovalsMax = 65_536
    /// Of a segment's bytes that reclaiming appends again, at most: a ring of which everything is
    /// used must still make room.
    package static let movedShareMax = 0.5
    /// Of each byte that is stored, how many cleaning may append again: so much a disk wears more
    /// than it would without, at most. Half of a ring that is never replaced and half that always
    /// is take one.
    static let cleaningPerStored = 2
}
