import ByteCoding
import CacheAccess
import CacheDisk
package import CacheInvalidation
import CacheLoading
package import CacheMemory
import CacheMetrics
package import CacheModel
import CacheWire

/// One shard's mind: its entries, and every decision about who may be served what.
///
/// A shard is one thread (CacheServer's `ShardThread`) that owns a slice of the keys and
/// everything about them. It tells this value what happened and performs what comes back; nothing
/// here knows a socket, a clock or a lock.
///
///     requests ──▶ turn ──▶ replies            (ReplyBuffer)
///     records  ──▶ apply, forget ─┐
///     standing, configuration ────┼─▶ effects  (ShardEffect: publish, applied)
///     publications ──▶ published ─┘
///     disk's completions ─────────┴─▶ commands, notices (ShardCore+Disk)
///
/// ### One turn
/// 1. *Plan*: decode each request, hash its keys, prefetch their buckets.
/// 2. *Warm*: prefetch the entries those buckets point to.
/// 3. *Answer*: look up, decide, write the reply.
///
/// Whole messages are refused in step 1, before anything has happened. The three steps run over
/// groups of at most 256 operations or so, so that what was prefetched is still there [1].
///
/// ### What it never does
/// It never waits. A request that must – for a position, the publisher or the disk – is kept
/// aside, bounded, and answered by a later ``tick(now:into:)`` or ``finishWaiting(now:into:)``.
///
/// [1] docs/decisions/0001-inlined-leaves-and-turn-wide-prefetch.md
package struct ShardCore: ~Copyable {
    /// One request of the group that is being worked on.
    struct Plan {
        var frame: RequestFrame
        var message: MessageView
        var namespace: NamespaceNumber
        /// Index of its first operation's hash.
        var firstHash: Int
        /// Set once a SET or DELETE has been appended by the publisher.
        var orderedAt: LogPosition?
        /// Operations of a SET that are refused before anything of it is published.
        var refused: Set<Int> = []
        /// Set once this shard has passed the head that FRESH asks for.
        var hasPassedHead = false
        /// When its asker stops waiting; set once it has been kept.
        var askedUntil: Instant?
        /// Set once what is on disk of its keys was read, as far as it came in time.
        var hasReadDisk = false
    }

    let options: ShardOptions
    var tier: MemoryTier
    var leases: LoadLeases
    var namespaces: NamespaceTable
    var waiting = WaitTable()
    var uploads = UploadTable()
    package internal(set) var standing = NodeStanding.unheard
    package internal(set) var applied = LogMark.none
    /// The log that is followed, as far as it was said.
    var log = LogID.none
    /// The last record of an invalidation by tag. What it covers is not known while it is loaded.
    var taggedAt = LogPosition.none
    /// How many epochs or logs were adopted before this one; the upper part of every stamp.
    var epochOrdinal: UInt16 = 0
    package internal(set) var statistics = ShardStatistics()
    /// Who may do what; `nil`: nobody is asked who they are.
    var access: AccessTable?
    /// What each key has used up of what it may ask.
    var budgets = Budgets()
    /// What is to be told for the audit log, and how many denials of each key were.
    var auditNotes: [ShardAuditNote] = []
    var denials = DenialBudget()
    /// What took long, until the shell takes it.
    var slowNotes: [ShardWaitNote] = []
    /// What recorded traces waited for, until then.
    var spanNotes: [ShardWaitNote] = []
    var spansLeftOut = 0
    /// Which operations are sampled, and what is known of those until the shell takes it.
    var sampler: OperationSampler
    var sampleNotes: [ShardSampleNote] = []
    var samplesLeftOut = 0

    /// `nil` until the publisher has said it.
    var topologyKind: TopologyReport.Kind?
    var topologyFrame: [UInt8] = []
    /// What decides which keys are this shard's, as one number; `nil` until it is known.
    var owners: UInt64?
    var ownership: ShardOwnership
    var configFrame: [UInt8] = []
    var recentlyApplied = AppliedHistory()
    var nextTicket: UInt64 = 1
    /// Where it went on when it forgot, as long as what was touched may yet be told.
    var pendingFrom: LogMark?
    /// `nil` where there is none, or none that can be used.
    var disk: ShardDisk?
    /// The disk tier is still to be opened for the first time: nothing is answered but reports,
    /// because what lies there may be newer than what would be said, or be overwritten unseen.
    package internal(set) var isDiskAwaited: Bool
    /// The node has not said yet where it begins: another shard's tier may be less far, and what
    /// was answered from further on would have to be taken back.
    var isPlaceAwaited: Bool
    /// Whether this run was ever granted a lease: until then the publisher may not know of it.
    var hasHadLease = false
    /// What the shell has not heard yet of the tier.
    var diskNotices: [DiskNotice] = []
    /// Whether this shard was told that the node leaves, or has said that it is done.
    var isAskedToDrain = false
    var hasSaidDrained = false
    /// The number of the last question for the head.
    var headQuestion: UInt64 = 0
    /// From which a time to live's jitter is drawn.
    var jitterDraw: UInt64
    var plans: [Plan] = []
    var hashes: [KeyHash] = []
    var tags: [UnsafeRawBufferPointer] = []
    /// Reads that the message being looked at has to wait for; kept for its room.
    var reads: [DiskTicket] = []
    /// Whether the message being answered has waited for the disk until its time was over.
    var isLateForDisk = false
    /// Loads of the origin that are under way.
    var loadTable = LoadTable(loadsMax: ShardLimits.loadsMax)
    /// Comparisons that are under way, by the number of the question to the origin.
    var comparisons: [UInt64: PendingComparison] = [:]
    /// Which keys were asked about without a lease.
    var pace = RevalidationPace()
    /// Operations that wait for loads which nobody else may wait for.
    var prefetchesWaiting = 0
    /// How far warming up is; the node tells one of its shards.
    var warmUp = WarmUp.Progress()
    /// How long loads of a namespace take on average, by its number.
    var loadDurations: [UInt16: Duration] = [:]
    /// How long loads took, of those that ended.
    var loadTimes = DurationHistogram(.long)
    /// Writes that origins are being told of, and which message waits for each.
    var writesUnderWay: [UInt64: PendingWrite] = [:]
    var nextWriteNumber: UInt64 = 1
    var heldKeys = HeldKeys()
    /// What became of the writes of the message being answered; `nil` unless it has waited for
    /// them.
    var writesAtHand: [Int: WriteResult]?
    var queueReportAtHand: QueueReport?
    /// What a comparison came to that is being answered.
    var comparisonAtHand: OriginComparison?
    /// Of the node, where this shard is the one that tells.
    var originTroubles = OriginTroubles()
    /// Of the process, where this shard is the one that tells.
    var descriptors: DescriptorUsage?
    /// What the message being answered demands of its keys, and knows of loads it has waited for;
    /// `nil` in a namespace that applications fill.
    var readDemand: ReadDemand?
    var loadsAtHand: RequestLoads?
    /// Load leases that its answer gives, should it be taken back.
    var grantsAtHand: [(hash: KeyHash, nonce: UInt64)] = []
    /// Which request of the outside the message belongs to whose loads begin.
    var traceAtHand: TraceContext?
    var earlyRefresh: EarlyRefresh?
    /// What it cannot be answered without, and what goes on behind its answer.
    var loadWishes: [LoadWish] = []
    var refreshWishes: [LoadWish] = []

    package init(options: ShardOptions) {
        self.options = options
        var limits =
            options.tierLimits ?? MemoryTierLimits(residentBytesMax: options.memoryBytes)
        if let entriesMax = options.entriesMax { limits.entriesMax = entriesMax }
        tier = MemoryTier(
            limits: limits, policy: options.evictionPolicy, hashSeed: options.seed,
            guards: options.guards)
        leases = LoadLeases(limits: limits, seed: StableHash.mix(options.seed))
        namespaces = NamespaceTable(seed: options.seed)
        jitterDraw = options.seed
        ownership = ShardOwnership(node: options.node, shard: options.shardIndex)
        sampler = OperationSampler(every: options.sampleEvery, seed: options.seed)
        isDiskAwaited = options.hasDisk
        access = options.isGuarded ? .empty : nil
        isPlaceAwaited = options.hasDisk
        plans.reserveCapacity(ShardLimits.framesPerTurnMax)
        hashes.reserveCapacity(2 * ShardLimits.operationsPerGroupMax)
        tags.reserveCapacity(Tag.perEntryMax)
    }

    /// The stamp of what is applied now.
    var appliedStamp: FillStamp {
        FillStamp(epochOrdinal: epochOrdinal, sequence: applied.position.sequence)
    }
}

/// What a shard is told once, at its start.
package struct ShardOptions: Sendable {
    package var node: NodeID
    package var shardIndex: ShardIndex
    package var incarnation: Incarnation
    /// Bytes of entries with all their bookkeeping; reaching it evicts.
    package var memoryBytes: Int
    /// Entries in memory, at least 1; reaching it evicts. `nil`: no bound but memory.
    package var entriesMax: Int?
    /// Shards of the node, which divide what the configuration gives to all of them.
    package var shardCount = 1
    package var evictionPolicy = EvictionPolicyName.adaptive
    /// Seeds the index, so that nobody outside can aim keys at one bucket. A secret.
    package var seed: UInt64
    /// Of those operations that their askers give no name.
    package let operationNames: OperationNames
    /// Bounds of the tier, where they are others than `memoryBytes` alone gives.
    package var tierLimits: MemoryTierLimits?
    package var guards = Guards.all
    package var plantedBug = PlantedBug.none
    /// Whether nobody is answered who has no right to ask; who has one is told later.
    package var isGuarded = false
    /// Whether what somebody may ask about later is told: ``ShardCore/takeAuditNotes(now:)``.
    package var isAudited = false
    /// What is kept aside and answered after so long is told: ``ShardCore/takeSlowNotes()``. `nil`:
    /// nothing is.
    package var slowAfter: Duration?
    /// Whether what is kept aside for a trace that is recorded is told:
    /// ``ShardCore/takeSpanNotes()``.
    package var notesTraces = false
    /// One of so many operations is told: ``ShardCore/takeSampleNotes()``. `nil`: none is.
    package var sampleEvery: Int?
    /// Whether a disk tier will be opened, or declared unusable.
    package var hasDisk = false
    /// What may be written in a second of what memory evicts; `nil` for all of it.
    package var diskWriteBytesPerSecond: Int?
    /// Between two checkpoints of the disk tier, if anything was obeyed meanwhile.
    package var diskCheckpointInterval = ShardLimits.checkpointInterval

    package init(
        node: NodeID, shardIndex: ShardIndex, incarnation: Incarnation, memoryBytes: Int,
        seed: UInt64
    ) {
        self.node = node
        self.shardIndex = shardIndex
        self.incarnation = incarnation
        self.memoryBytes = memoryBytes
        self.seed = seed
        operationNames = OperationNames(seed: seed)
    }
}
