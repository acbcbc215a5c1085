import CacheModel

/// The log-structured disk tier of one shard, as a sans-I/O core.
///
/// ### Use
/// One thread: the shard that owns these keys. It executes ``commands`` in order, and passes each
/// completion to ``completed(_:)``. No call blocks.
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
/// Requests append, remove and find; completions arrive in between. ``tick()`` does a slice of
/// long work: recovery, reclaiming, pending removals.
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
    /// What the calls reported; the caller removes it.
    package var news: [DiskNews] = []
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

    /// What the calls ask of the file, in order; the caller removes it.
    package var commands: [DiskCommand] {
        get { log.errands.commands }
        set { log.errands.commands = newValue }
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

/// A namespace's share of the ring: docs/decisions/0104-bound-a-namespaces-share-of-the-disk.md
extension DiskTier {
    /// The account of the namespace with this hash of its name.
    ///
    /// - Complexity: O(1).
    package mutating func account(of room: UInt64) -> DiskAccount {
        log.shares.account(of: room)
    }

    /// Limits the ring bytes of a namespace's records; `nil`: no limit.
    ///
    /// Records above it are dropped as the ring wraps. A value above it that still waits to be
    /// appended in parts is not appended.
    package mutating func setShare(_ bytesMax: Int?, of account: DiskAccount) {
        log.shares.setBound(bytesMax ?? .max, of: account)
        while !log.shares.hasRoom(for: 0, account),
            let store = log.stores.first(of: account)
        {
            log.shares.noteDeclined(account)
            log.endStore(store.fingerprint)
        }
    }

    /// The ring bytes of the namespace's records, and the number declined since the tier was
    /// opened.
    package func shareUsage(of account: DiskAccount) -> (bytes: Int, declined: UInt64) {
        (log.shares.taken(account), log.shares.accounts[account.index].declined)
    }

    /// Stores and evicted entries, of all namespaces, that did not fit their share.
    package var declinedCount: UInt64 { log.shares.accounts.reduce(0) { $0 + $1.declined } }

    /// Whether the namespace may have no records on disk.
    package func isShut(_ account: DiskAccount) -> Bool {
        log.shares.accounts[account.index].bytesMax == 0
    }

    /// Whether an entry would exceed the share of its namespace; if so, it is counted.
    ///
    /// - Parameter isStore: it is a store, and pays for cleaning though it is declined.
    /// - Complexity: O(1); O(tags) if the namespace is limited, O(segments) if it is declined.
    package mutating func declines(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, for account: DiskAccount,
        isStore: Bool
    ) -> Bool {
        guard log.shares.isBounded(account) else { return false }
        let bytes = log.shareBytesMax(of: entry)
        guard !log.shares.hasRoom(for: bytes - reservedBytes(fingerprint, account), account) else {
            return false
        }
        log.shares.noteDeclined(account)
        // Cleaning cannot free enough for an entry that never fits.
        guard log.shares.canHold(bytes, account) else { return true }
        if isStore { log.cleaning.earn(bytes, upTo: geometry.ringBytes) }
        if !log.shares.isShort,
            log.segments.contains(where: { $0.hasDead || $0.hasExpired(at: now) })
        {
            log.shares.noteShort()
        }
        return true
    }

    /// Bytes reserved for a value still waiting under this fingerprint, which the next store
    /// cancels.
    private func reservedBytes(_ fingerprint: Fingerprint, _ account: DiskAccount) -> Int {
        guard let store = log.stores[fingerprint], store.account == account else { return 0 }
        return store.reservedBytes
    }
}
