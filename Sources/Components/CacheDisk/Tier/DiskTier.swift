import CacheModel

/// The log-structured disk tier of one shard, as a sans-I/O core.
///
/// ### Use
/// One thread: the shard that owns these keys. It executes the returned commands in order, and
/// passes each completion to ``completed(_:into:news:)``. No call blocks.
///
///     append ─▶ RecordLog: tail ─▶ active segment ─▶ sealed ── oldest ──▶ Reclaimer ──▶ free
///        │          │      ▲                                                  │
///        ▼          ▼      └────────────────── used: re-appended ─────────────┘
///     remove    DiskIndex
///                   │
///     find ──▶ in the tail: at once · else RecordReads ──▶ verified? still indexed? ──▶ found
///
/// ``TierRecovery`` reads what an earlier process left; ``TierSpace`` withdraws segments and
/// returns them. Where two of them change together, the order is here.
///
/// ### One turn
/// Requests append, remove and find; completions arrive in between. ``tick(into:news:)`` does a
/// slice of long work: recovery, reclaiming, pending removals.
///
/// ### Guarantees
/// It never returns a record that it cannot verify, or that was removed or replaced meanwhile. It
/// never decides whether an entry is visible: floors and leases belong to the node's core. It holds
/// no value in memory except in the tail, and while it is read.
package struct DiskTier: ~Copyable {
    package enum State: Equatable {
        case recovering
        /// Writes that must precede the first append are in progress.
        case beginning
        case open
        case closing
        case closed
        case failed(DiskFailure)
        /// The existing log is not valid.
        case unusable(UnusableCause)
    }

    package let superblock: Superblock
    var log: RecordLog
    var reads = RecordReads()
    var reclaimer = Reclaimer()
    var space = TierSpace()
    var recovery = TierRecovery()
    var checkpointCounter: UInt64 = 0
    package internal(set) var state = State.recovering {
        didSet { log.isOpen = state == .open }
    }

    /// - Parameters:
    ///   - superblock: of this run: open, with this machine's facts and clock.
    ///   - tail: the mapped part of the file. It must outlive the tier.
    package init(_ superblock: Superblock, tail: UnsafeMutableRawBufferPointer) {
        precondition(
            tail.count == superblock.geometry.tailBytes, "the tail is as long as it says")
        precondition(superblock.closed == nil, "a tier that is used is open")
        self.superblock = superblock
        log = RecordLog(superblock, tail: tail)
    }

    package var geometry: DiskGeometry { log.geometry }
    package var hasher: FingerprintHasher { log.hasher }
    package var statistics: DiskStatistics { log.statistics }
    package var entryCount: Int { log.index.count }

    package var now: TierTime {
        get { log.now }
        set { log.now = newValue }
    }

    /// Maximum share of a segment's bytes that is re-appended when it is reclaimed and the ring is
    /// full. 0: nothing is re-appended, nor is the ring cleaned.
    package var movedShareMax: Double {
        get { log.cleaning.movedShareMax }
        set { log.cleaning.movedShareMax = newValue }
    }

    /// Allocated memory.
    package var memoryBytes: Int { log.memoryBytes + reclaimer.piece.bytes.count }

    /// Checks that the tier was opened: before that, recovery would bring back a record that a
    /// removal misses.
    func expectBegun() {
        precondition(state != .recovering && state != .beginning, "the tier is open or has ended")
    }

    // MARK: Use of the ring

    /// The one being written.
    package var newestSegment: SegmentNumber { log.active }

    /// Those before it are void.
    package var oldestSegment: SegmentNumber { log.tail.state.oldest }

    /// The segment of the newest re-appended record.
    package var newestMove: SegmentNumber { log.cleaning.newestMove }

    /// Whether older records wait to be appended or re-appended.
    package var isMoving: Bool { !log.stores.isEmpty || reclaimer.isMoving }

    /// Whether more segments are free than reclaiming maintains: then no entry has to be dropped
    /// for a new one.
    ///
    /// - Complexity: O(1).
    package var hasFreeSegments: Bool { log.hasFreeSegments }

    /// Whether every segment has been used, so that cleaning has to pay for each append.
    package var hasGoneRound: Bool { log.active.rawValue > UInt64(geometry.segmentCount) }

    /// Whether at least three quarters of the ring are used.
    ///
    /// - Complexity: O(1).
    package var isNearlyFull: Bool {
        !log.isFree(ahead: max(log.freeSegmentsMin + 1, log.ring.count / 4))
    }

    /// The approximate number of entries once the ring has wrapped.
    ///
    /// - Complexity: O(segments).
    package var entryCountExpected: Int {
        let used = log.segments.count { $0.use != .free && $0.use != .withdrawn }
        return used == 0 ? 0 : entryCount * log.ring.count / used
    }

    // MARK: Space

    /// The free space that the tier leaves on its file system; `nil` if it keeps all its space.
    package var spaceRule: DiskSpaceRule? {
        get { space.rule }
        set { space.rule = newValue }
    }

    /// Passes the free bytes of the file system. To be called at most once a second: each call
    /// releases a few segments.
    package mutating func noteFreeBytes(_ bytes: Int) { space.noteFreeBytes(bytes, geometry) }

    /// Bytes of the file that have space.
    package var roomBytes: Int {
        geometry.fileBytes - space.unusedCount(log) * geometry.releasableBytes
    }

    /// Bytes of the segments that have space.
    package var usedRingBytes: Int {
        (geometry.segmentCount - space.unusedCount(log)) * geometry.segmentBytes
    }

    /// Whether the whole file has space, and is in use.
    package var isWhole: Bool { space.unusedCount(log) == 0 }
}
