import CacheWire

/// Bounds of one shard's core.
package enum ShardLimits {
    /// Maximum requests per turn, so that timers and invalidations come in between.
    package static let framesPerTurnMax = 64
    /// Maximum slow requests kept between two calls of the shell; others are not recorded.
    static let slowNotesMax = 64
    /// The same for requests of recorded traces; others are counted.
    static let spanNotesMax = 64
    /// The same for sampled operations; others are counted.
    static let sampleNotesMax = 64
    /// Once this many operations are planned they are answered, before more are planned: their
    /// prefetched lines must still be in the processor cache then.
    package static let operationsPerGroupMax = 256
    /// A group of replies is returned once it has this many bytes.
    package static let replyBytesPerGroupMax = 1 << 20
    /// Initial capacity of the reply writer, which doubles as needed.
    package static let replyRoomBytes = 64 << 10
    /// A reply from this length on is sent from the memory it was written into, if that is at most
    /// this many times as long. Shorter ones are cheaper to copy than to give new memory.
    package static let ownMemoryBytesMin = 16 << 10
    package static let ownMemoryFactorMax = 4
    /// Maximum requests that wait for a position or for the publisher, and their bytes.
    package static let waitingMax = 16_384
    package static let waitingBytesMax = 16 << 20
    /// Maximum waiting operations without a reader: the remaining space is for readers.
    package static let prefetchesWaitingMax = waitingMax / 4
    /// Maximum origin loads of one shard under way. At most half of them for one principal.
    package static let loadsMax = 65_536
    /// Maximum comparisons with origins of one shard under way, at most half of them for one
    /// principal.
    package static let comparisonsMax = 64
    /// Space in an answer to a GET before its last result, which may be long, and the heads of
    /// deferred results.
    static let answerRoomBytes = WireLimits.frameBytesMax - 64 << 10
    /// Loaded values held until the other loads of their requests have ended: for one request as
    /// much as fits its answer, for one principal half of this.
    package static let loadedBytesMax = 64 << 20
    /// Maximum loads that one operation waits for, if invalidations overtake them.
    package static let loadsPerReaderMax = 4
    /// While the node has no lease and the window is over, a key is revalidated at most once per
    /// this interval, and at most this many keys of a shard.
    package static let revalidationInterval = Duration.seconds(1)
    package static let revalidationsPerIntervalMax = 65_536
    /// After how long readers then get the held entry, if the namespace has no `soft-timeout`.
    package static let suspectSoftTimeout = Duration.milliseconds(250)
    /// Longest stale window: its encoding is 32 bits of milliseconds.
    package static let staleWindowMax = Duration.seconds(30 * 24 * 3_600)
    /// How long a request waits if it states nothing, and at most.
    package static let waitDefault = Duration.seconds(5)
    package static let waitMax = Duration.seconds(60)
    /// Maximum time that a request waits for the disk; a record that has not arrived by then is a
    /// miss.
    package static let diskWaitMax = Duration.seconds(1)
    /// Between two checkpoints of a disk tier, if records were applied meanwhile.
    package static let checkpointInterval = Duration.seconds(5)
    /// Maximum bytes of records read from disk for messages that wait for more: further records are
    /// moved to memory at once, and may be evicted before the messages are answered.
    static let readRecordsBytesMax = 32 << 20
    /// Maximum values being sent in chunks, and their bytes. At most half of both for one
    /// principal: that is one value of the maximum length.
    package static let uploadsMax = 16
    package static let uploadBytesMax = 128 << 20
    /// An upload is given up this long after its last chunk, and this long after its first: 64 MiB
    /// then need less than two megabits a second.
    package static let uploadIdle = Duration.seconds(30)
    package static let uploadDurationMax = Duration.seconds(300)
    /// Namespaces with their own entries or floors in one process.
    package static let namespacesMax = 1_024
    /// Buckets examined by one slice of the sweeper, and by one page of a scan.
    package static let sweepBucketsPerTick = 256
    package static let scanBucketsPerPage = 4_096
    /// This many entries and buckets examined by a page count as one operation of its asker.
    static let scanLooksPerOperation = 64
    /// Buckets examined by one page of the hottest, which weighs each entry.
    package static let hottestBucketsPerPage = 1_024
    /// Entries checked for expiry, and moved to close holes, by one tick.
    package static let expirySlotsPerTick = 2_048
    package static let movesPerTick = 256
    /// Buckets sorted by quota, and entries evicted because a quota was lowered, by one tick.
    package static let quotaBucketsPerTick = 256
    /// Entries evicted or moved by one slice of shrinking, and the memory it frees: either takes
    /// about half a millisecond. There is one slice after every turn while memory is short.
    package static let shrinkStepsPerSlice = 1_024
    package static let shrinkBytesPerSlice = 4 << 20
    /// Between two ticks when nothing else happens, and while one has left work behind.
    package static let tickInterval = Duration.milliseconds(100)
    package static let urgentTickInterval = Duration.milliseconds(1)
    /// The time of an entry's store is accurate to seventeen milliseconds.
    package static let ageError = Duration.milliseconds(20)
    /// The retry-after of BUSY.
    package static let busyRetryMilliseconds: UInt32 = 100
    /// When to ask again for a key that another shard owns: once a new topology has come.
    package static let movedRetryMilliseconds: UInt32 = 5
    /// The same if the write queue is full.
    package static let queueRetryMilliseconds: UInt32 = 1_000
}
