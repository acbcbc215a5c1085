import ByteCoding
package import CacheInvalidation
import CacheLoading
package import CacheMemory
package import CacheModel
import CacheWire

/// The core of one shard: its entries, and every decision about which answers may be served.
///
/// A shard is one thread (CacheServer's `ShardThread`) that owns a slice of the keys and all their
/// state. It passes events to this value and performs the returned actions; nothing here uses a
/// socket, a clock or a lock.
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
/// Whole messages are refused in step 1, before they have any effect. The three steps run over
/// groups of about 256 operations at most, so that prefetched lines are still in the processor
/// cache [1].
///
/// ### What it never does
/// It never blocks. A request that must wait – for a position, the publisher or the disk – is kept
/// in a bounded table, and answered by a later ``tick(now:into:)`` or ``finishWaiting(now:into:)``.
///
/// [1] docs/decisions/0001-inlined-leaves-and-turn-wide-prefetch.md
package struct ShardCore: ~Copyable {
    /// One request of the group that is being handled.
    struct Plan {
        var frame: RequestFrame
        var message: MessageView
        var namespace: NamespaceNumber
        /// Index of its first operation's hash.
        var firstHash: Int
        /// Set once the publisher has appended the record of a SET or DELETE.
        var orderedAt: LogPosition?
        /// Operations of a SET that are refused before anything of it is published.
        var refused: Set<Int> = []
        /// Set once this shard has passed the head that FRESH requires.
        var hasPassedHead = false
        /// When its asker stops waiting; set once it has been kept.
        var askedUntil: Instant?
        /// Set once the records of its keys were read from disk, as far as they arrived in time.
        var hasReadDisk = false
        /// Set once the owners before were asked for its keys.
        var hasAskedOwnerBefore = false
    }

    let options: ShardOptions
    var entries: EntryStore
    var namespaces: NamespaceTable
    var waiting = WaitTable()
    var uploads = UploadTable()
    var log: LogFollower
    package internal(set) var statistics = ShardStatistics()
    package internal(set) var admission: ShardAdmission
    var recorder: RequestRecorder
    var cluster: ClusterState
    /// The source of a time to live's jitter.
    var jitterDraw: UInt64
    var plans: [Plan] = []
    var hashes: [KeyHash] = []
    var tags: [UnsafeRawBufferPointer] = []
    package internal(set) var loads: LoadCoordinator
    var writes: WriteCoordinator
    var gauges = NodeGauges()

    package init(options: ShardOptions) {
        self.options = options
        var limits =
            options.tierLimits ?? MemoryTierLimits(residentBytesMax: options.memoryBytes)
        if let entriesMax = options.entriesMax { limits.entriesMax = entriesMax }
        entries = EntryStore(options, limits: limits)
        loads = LoadCoordinator(
            leases: LoadLeases(limits: limits, seed: StableHash.mix(options.seed)))
        namespaces = NamespaceTable(seed: options.seed)
        jitterDraw = options.seed
        cluster = ClusterState(
            node: options.node, shard: options.shardIndex, hasDisk: options.hasDisk,
            guards: options.guards)
        recorder = RequestRecorder(options)
        writes = WriteCoordinator(shard: options.shardIndex, names: options.operationNames)
        admission = ShardAdmission(isGuarded: options.isGuarded)
        log = LogFollower(isStartAwaited: options.hasDisk)
        plans.reserveCapacity(ShardLimits.framesPerTurnMax)
        hashes.reserveCapacity(2 * ShardLimits.operationsPerGroupMax)
        tags.reserveCapacity(Tag.perEntryMax)
    }

    package var applied: LogMark { log.applied }

    package var standing: NodeStanding { log.standing }
}

/// Options of a shard, set once at its start.
package struct ShardOptions: Sendable {
    package var node: NodeID
    package var shardIndex: ShardIndex
    package var incarnation: Incarnation
    /// Bytes of entries with all overhead; reaching it evicts.
    package var memoryBytes: Int
    /// Entries in memory, at least 1; reaching it evicts. `nil`: no bound but memory.
    package var entriesMax: Int?
    /// Shards of the node, which divide what the configuration gives to all of them.
    package var shardCount = 1
    package var evictionPolicy = EvictionPolicyName.adaptive
    /// Seeds the index, so that no client can aim keys at one bucket. A secret.
    package var seed: UInt64
    /// Makes ids for operations without one.
    package let operationNames: OperationNames
    /// Bounds of the tier, if they differ from those that `memoryBytes` alone gives.
    package var tierLimits: MemoryTierLimits?
    package var guards = Guards.all
    package var plantedBug = PlantedBug.none
    /// Whether only clients with permission are answered; the access table is set later.
    package var isGuarded = false
    /// Whether events for the audit log are recorded: ``ShardCore/takeAuditNotes(now:)``.
    package var isAudited = false
    /// Waiting requests answered after at least this time are recorded:
    /// ``ShardCore/takeSlowNotes()``. `nil`: none.
    package var slowAfter: Duration?
    /// Whether waiting requests of recorded traces are recorded: ``ShardCore/takeSpanNotes()``.
    package var notesTraces = false
    /// One in this many operations is recorded: ``ShardCore/takeSampleNotes()``. `nil`: none.
    package var sampleEvery: Int?
    /// Whether a disk tier will be opened, or declared unusable.
    package var hasDisk = false
    /// Maximum bytes per second written for entries that memory evicts; `nil` for no limit.
    package var diskWriteBytesPerSecond: Int?
    /// Between two checkpoints of the disk tier, if records were applied meanwhile.
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

/// The memory budget of a shard, and its usage.
extension ShardCore {
    /// Sets the budget of this shard's entries. If they exceed it, ``shrink(now:)`` evicts; nothing
    /// is evicted here.
    ///
    /// - Parameter bytes: more than is configured counts as that, and less than one byte as one.
    package mutating func setMemoryBudget(_ bytes: Int) {
        let budget = min(max(bytes, 1), options.memoryBytes)
        if budget < memoryBudget { statistics.memoryShrinks += 1 }
        entries.memory.entries.setBudget(budget)
    }

    /// The entries exceed their budget. Memory is short then: call ``shrink(now:)`` after every
    /// turn, without sleeping in between.
    package var isOverBudget: Bool { entries.memory.entries.isOverBudget }

    /// One bounded slice of evicting down to the budget.
    package mutating func shrink(now: Instant) {
        entries.memory.entries.shrink(
            stepLimit: ShardLimits.shrinkStepsPerSlice,
            bytesLimit: ShardLimits.shrinkBytesPerSlice, now: now)
    }

    /// The budget of this shard's entries, in bytes.
    package var memoryBudget: Int { entries.memory.entries.budgetGoal }

    /// The size of this shard's entries, in bytes, with all overhead.
    package var memoryInUse: Int { entries.memory.entries.residentBytes }
}

/// Reads on a node without a lease, in a namespace with `serve-then-revalidate`.
///
///     last lease ends ─▶ within the window: the held entry, without a request
///                        after it: is the key due? ─▶ yes: its reader causes a load
///                                                     no: shares that, or gets the held entry
extension ShardCore {
    /// Whether the held entry of a key, if it would be fresh with a lease, is the answer without a
    /// load.
    func toleratesUnvouched(
        _ lookup: Lookup, _ context: borrowing RequestContext
    ) -> Bool {
        let window = namespaces.policy(of: context.namespace).suspectWindow
        if log.standing.hasVouched(within: window, of: context.now)
            || !options.guards.isOn(.suspectWindow)
        {
            return true
        }
        let wantsToken = lookup.operation.options.contains(.token)
        // A message that has waited is answered again: a key that it waited for must not be loaded
        // once more, and any other is answered as before.
        if let loads = context.loads, !wantsToken { return loads.counts[lookup.index] == nil }
        let namespace = context.namespace.rawValue
        return loads.needsNoRevalidation(
            of: lookup.hash,
            LoadKey(namespace: namespace, bytes: [UInt8](lookup.operation.key)),
            wantsToken: wantsToken, now: context.now)
    }
}
