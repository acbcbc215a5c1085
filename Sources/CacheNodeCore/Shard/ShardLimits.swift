import CacheWire

/// Every bound of one shard's mind.
package enum ShardLimits {
    /// Most requests taken in one turn, so that timers and invalidations come in between.
    package static let framesPerTurnMax = 64
    /// Slow requests that are told of between two looks of the shell; others are not.
    static let slowNotesMax = 64
    /// Requests of recorded traces that are told of then; others are counted.
    static let spanNotesMax = 64
    /// Sampled operations that are told of then; others are counted.
    static let sampleNotesMax = 64
    /// Once this many operations are planned they are answered, before more are looked at: their
    /// prefetched lines must still be in the cache then.
    package static let operationsPerGroupMax = 256
    /// A group of replies is handed out once it has this many bytes.
    package static let replyBytesPerGroupMax = 1 << 20
    /// Where replies are written begins with this room, and doubles as needed.
    package static let replyRoomBytes = 64 << 10
    /// A reply from this length on is sent from the memory it was written into, where that is at
    /// most so many times as long. Below, copying it costs less than new memory.
    package static let ownMemoryBytesMin = 16 << 10
    package static let ownMemoryFactorMax = 4
    /// Requests that wait for a position or for the publisher, and their bytes.
    package static let waitingMax = 16_384
    package static let waitingBytesMax = 16 << 20
    /// Operations of these that nobody waits for: the rest of the room is for readers.
    package static let prefetchesWaitingMax = waitingMax / 4
    /// Loads of origins that one shard has under way. Half of them at most were begun for one key.
    package static let loadsMax = 65_536
    /// Comparisons with origins that one shard has under way, half of them at most for one key.
    package static let comparisonsMax = 64
    /// What an answer to a GET has room for before its last result, which may be long, and the
    /// heads of those that have to be asked for again.
    static let answerRoomBytes = WireLimits.frameBytesMax - 64 << 10
    /// Loaded values that are held until the other loads of their requests have ended: of one
    /// request what its answer has room for, of one key half of this.
    package static let loadedBytesMax = 64 << 20
    /// How many loads one operation waits for, if invalidations overtake them.
    package static let loadsPerReaderMax = 4
    /// While the node has no lease and the window is over, a key is asked about once in this time
    /// at most, and so many keys of a shard.
    package static let revalidationInterval = Duration.seconds(1)
    package static let revalidationsPerIntervalMax = 65_536
    /// After how long readers then get what is held, where the namespace names no `soft-timeout`.
    package static let suspectSoftTimeout = Duration.milliseconds(250)
    /// Longest stale window: what travels and is stored is a number of 32 bits of milliseconds.
    package static let staleWindowMax = Duration.seconds(30 * 24 * 3_600)
    /// How long a request waits where it does not say, and at most.
    package static let waitDefault = Duration.seconds(5)
    package static let waitMax = Duration.seconds(60)
    /// How long a request waits for the disk at most; what has not come by then is a miss.
    package static let diskWaitMax = Duration.seconds(1)
    /// Between two checkpoints of a disk tier, if anything was obeyed meanwhile.
    package static let checkpointInterval = Duration.seconds(5)
    /// What was read from disk for messages that wait for more: what is beyond is taken into memory
    /// at once, and may be evicted before they are answered.
    static let readRecordsBytesMax = 32 << 20
    /// Values that are being sent in chunks, and their bytes. Of one key half of both at most: that
    /// is one value of the greatest length.
    package static let uploadsMax = 16
    package static let uploadBytesMax = 128 << 20
    /// An upload is given up this long after its last chunk, and this long after its first: 64 MiB
    /// take less than two megabits a second then.
    package static let uploadIdle = Duration.seconds(30)
    package static let uploadDurationMax = Duration.seconds(300)
    /// Namespaces with entries or floors of their own in one process.
    package static let namespacesMax = 1_024
    /// Buckets looked at by one slice of the sweeper, and by one page of a scan.
    package static let sweepBucketsPerTick = 256
    package static let scanBucketsPerPage = 4_096
    /// So many entries and buckets that a page looked at count as one operation of its asker.
    static let scanLooksPerOperation = 64
    /// And by one page of the hottest, each of whose entries is weighed.
    package static let hottestBucketsPerPage = 1_024
    /// Entries looked at for having expired, and moved to close holes, by one tick.
    package static let expirySlotsPerTick = 2_048
    package static let movesPerTick = 256
    /// Buckets sorted by quota, and entries that leave because a quota was lowered, by one tick.
    package static let quotaBucketsPerTick = 256
    /// Entries evicted or moved by one slice of shrinking, and the memory it gives back: either
    /// takes about half a millisecond. There is one after every turn while memory is short.
    package static let shrinkStepsPerSlice = 1_024
    package static let shrinkBytesPerSlice = 4 << 20
    /// Between two ticks when nothing else happens, and while one has left work behind.
    package static let tickInterval = Duration.milliseconds(100)
    package static let urgentTickInterval = Duration.milliseconds(1)
    /// An entry knows when it was stored to seventeen milliseconds.
    package static let ageError = Duration.milliseconds(20)
    /// What BUSY tells the asker to wait.
    package static let busyRetryMilliseconds: UInt32 = 100
    /// What it tells where the queue of writes is full.
    package static let queueRetryMilliseconds: UInt32 = 1_000
}
