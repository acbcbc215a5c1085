import CacheModel

/// All limits of a disk tier.
package enum DiskLimits {
    /// Alignment of the offsets of the file's parts.
    package static let pageBytes = 4_096
    package static let checkpointBytesMax = 64 << 20
    /// A state page, and slots.
    package static let tailBytesMin = 2 * pageBytes
    package static let tailBytesMax = 256 << 20
    /// Tests may use small segments; a record must fit into one.
    package static let segmentBytesMin = 4_096
    package static let segmentBytesMax = 64 << 20
    /// Segment size from which a configured size is divided.
    package static let segmentBytesUsualMin = 512 << 10
    package static let segmentBytesUsualMax = 32 << 20
    /// Minimum configured size of a tier, per shard.
    package static let fileBytesMin = 16 << 20
    /// One being written, one being reclaimed, and one that holds entries.
    package static let segmentsMin = 3
    /// Segments kept while the file system is short of space, or an eighth if that is more.
    static let segmentsKeptMin = 4
    /// Segments that a shard releases per measurement of the free space.
    static let withdrawalsPerMeasurement = 4
    /// Retry interval after a failed reservation of space.
    static let spaceRetryMilliseconds: UInt64 = 30_000
    /// Reach of 34-bit addresses in units of eight bytes.
    package static let segmentBytesAllMax = 8 << 34
}

// MARK: - Numbers

extension DiskLimits {
    /// Counters and segment numbers stay below this: a million per second take two thousand years.
    /// A greater one was never written, and would overflow.
    package static let numberEnd: UInt64 = 1 << 56
}

// MARK: - Records

extension DiskLimits {
    package static let keyBytesMax = 4_096
    package static let valueBytesMax = 1 << 27 - 1
    package static let tagsMax = 64
    /// An entry's record without its value.
    static let headBytesMax =
        RecordHead.bytes + keyBytesMax + 256 + 8 + 1 + tagsMax * 256
        + Representation.storedBytesMax + 256 + 6 + 7
}

// MARK: - Work

extension DiskLimits {
    /// Entry reads in flight; more are shed.
    package static let readsMax = 1_024
    /// Bytes of these reads together; a single one may have any size.
    package static let readBytesMax = 32 << 20
    /// Parts of one value that are read concurrently.
    static let partReadsMax = 8
    /// Values waiting to be appended in parts; a single one may have any size.
    static let storingBytesMax = 32 << 20
    /// Bytes of them appended per turn: about half a millisecond.
    static let storedBytesPerSlice = 1 << 20
    /// Free tail slots that parts leave to other records.
    static let slotsLeftByParts = 4
    /// Bytes of a segment that reclaiming reads at once to re-append their records; a single record
    /// may be longer.
    static let reclaimReadBytes = 128 << 10
    /// Values in parts that reclaiming reassembles concurrently.
    static let movesMax = 16
    /// Entries per slice of reclaiming or recovery: about half a millisecond.
    package static let entriesPerSlice = 4_096
    package static let scannedBytesPerSlice = 512 << 10
    /// Footer entries per prefetch of buckets.
    static let entriesFetched = 16
    /// Removals that wait for space. While there are any, the log is unsafe; above this number the
    /// tier gives up.
    package static let pendingRemovalsMax = 65_536
    /// Maximum share of a segment's bytes that reclaiming re-appends: a ring full of used entries
    /// must still free space.
    package static let movedShareMax = 0.5
    /// Bytes that cleaning may re-append per byte stored, which bounds the extra disk wear. A ring
    /// of half permanent and half replaced entries needs one.
    static let cleaningPerStored = 2
}
