import ByteCoding
import CacheModel

/// The log-structured disk tier of one shard, as a sans-I/O core.
///
/// ### Use
/// One thread: the shard that owns these keys. It executes the returned commands in order, and
/// passes each completion to ``completed(_:into:news:)``. No call blocks.
///
///     append ─▶ tail ── slot full ──▶ write ──▶ active segment ── full ──▶ footer: sealed
///        │                                                                    │ oldest
///        ▼                                                                    ▼
///     DiskIndex ◀── used: re-appended ◀──── read ◀──────────────────── reclaiming ──▶ free
///        │
///     find ──▶ in the tail: at once · else read ──▶ verified? still indexed? ──▶ found
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

    /// The purpose of a command.
    enum Errand {
        case slot
        case write
        /// A segment and its footer survive losing power.
        case sealed(SegmentNumber)
        case checkpoint(LogMark)
        /// The superblock marks the tier as open, and survives losing power.
        case opening
        case read(ReadInFlight)
        /// A part of the value that the read with this ticket reassembles.
        case part(DiskTicket, Int)
        case reclaimFooter
        /// A piece of the segment being reclaimed, to re-append its records.
        case reclaimPiece(SegmentNumber, Range<Int>)
        /// The record of an entry with parts in this segment, which is reclaimed.
        case moveDivided(ReadInFlight, SegmentNumber)
        case recovery(RecoveryRead)
        /// Everything survives losing power: only now the superblock may mark it as closed.
        indirect case closing(Superblock)
        /// The superblock marks the tier as closed in order, and survives losing power.
        case closed
        /// A place releases its space.
        case releasing(Int)
        /// The same, possibly already started by an earlier process.
        case releasedAgain
        /// A place gets its space again.
        case reserving(Int)
        /// The mark of a place that has space is removed.
        case unmarking(Int)
    }

    struct ReadInFlight {
        var fingerprint: Fingerprint
        var address: RecordAddress
        var segment: SegmentNumber
        /// Bytes that count against the limit of reads.
        var byteCount = 0
    }

    package let superblock: Superblock
    package let geometry: DiskGeometry
    let seal: RecordSeal
    package let hasher: FingerprintHasher
    /// Of the longest record; an entry of a greater class is in parts.
    let wholeClassMax: LengthClass
    var tail: Tail
    var index: DiskIndex
    /// By place in the ring.
    var segments: [SegmentState]
    /// Which places have space.
    var space: TierSpace
    /// The active segment, and the end of its records; `none` before the first.
    var active = SegmentNumber.none
    var end = 0
    /// Of the active segment.
    var footer = SegmentFooter()
    /// Pending stores in parts, in append order, and the bytes of their values.
    var storing: [DividedStore] = []
    var storingBytes = 0
    /// Values in parts being reassembled, by the ticket of their read.
    var assembling: [DiskTicket: DividedRead] = [:]
    /// Removals that wait for space.
    var pending: [Fingerprint] = []
    var isResetPending = false
    var errands: [DiskTicket: Errand] = [:]
    /// Reads by fingerprint, so that lookups share them.
    var reading: [Fingerprint: DiskTicket] = [:]
    /// Bytes of these reads.
    var readingBytes = 0
    var nextTicket: UInt64 = 1
    var reclaiming: Reclaim?
    /// Beside ``reclaiming`` for the reason given at ``recoveryWork``.
    var reclaimPiece = ReclaimPiece()
    /// Bytes of the records that the index points to, rounded up to their length classes.
    var liveBytes = 0
    /// Bytes that cleaning may still write, earned by stores.
    var cleaningCredit: Int
    /// Ring usage of each namespace, and its limit.
    var shares: RingShares
    /// The segment of the newest re-appended record.
    package internal(set) var newestMove = SegmentNumber.none
    var recovery: Recovery?
    /// Beside ``recovery`` and not in it: an array that is replaced through the optional is never
    /// released (Swift 6.3.1; found with the address sanitizer).
    var recoveryWork = Recovery.Work.nothing
    /// To be reported once the tier is open.
    var recovered: RecoveredTier?
    var checkpointCounter: UInt64 = 0
    package internal(set) var state = State.recovering
    package internal(set) var statistics = DiskStatistics()
    package var now = TierTime(milliseconds: 0)
    /// Maximum share of a segment's bytes that is re-appended when it is reclaimed and the ring is
    /// full. 0: nothing is re-appended, nor is the ring cleaned.
    package var movedShareMax = DiskLimits.movedShareMax

    /// - Parameters:
    ///   - superblock: of this run: open, with this machine's facts and clock.
    ///   - tail: the mapped part of the file. It must outlive the tier.
    package init(_ superblock: Superblock, tail: UnsafeMutableRawBufferPointer) {
        precondition(
            tail.count == superblock.geometry.tailBytes, "the tail is as long as it says")
        precondition(superblock.closed == nil, "a tier that is used is open")
        self.superblock = superblock
        geometry = superblock.geometry
        seal = superblock.seal
        hasher = FingerprintHasher(seed: superblock.tier)
        let empty = Tail(tail, seal, state: TailState())
        wholeClassMax = LengthClass(bytes: Self.recordBytesMax(empty, geometry))
        self.tail = empty
        index = DiskIndex(seed: superblock.tier)
        cleaningCredit = superblock.geometry.ringBytes / 2
        segments = Array(repeating: SegmentState(), count: geometry.segmentCount)
        shares = RingShares(segmentCount: geometry.segmentCount)
        space = TierSpace(geometry)
    }

    package var entryCount: Int { index.count }

    /// Allocated memory.
    package var memoryBytes: Int {
        index.memoryBytes + footer.memoryBytes + segments.count * MemoryLayout<SegmentState>.stride
            + pending.count * MemoryLayout<Fingerprint>.stride + storingBytes
            + reclaimPiece.bytes.count + shares.memoryBytes + space.ring.memoryBytes
    }

    /// Checks that the tier was opened: before that, recovery would bring back a record that a
    /// removal misses.
    func expectBegun() {
        precondition(state != .recovering && state != .beginning, "the tier is open or has ended")
    }

    // MARK: Places

    func ring(_ number: SegmentNumber) -> Int { space.ring.place(of: number) }

    /// The number used after this one.
    func next(after number: SegmentNumber) -> SegmentNumber { space.ring.number(after: number) }

    /// The start of the log once this segment is void: the next used number; behind the newest the
    /// next of all, which may be one that will be skipped.
    func first(after number: SegmentNumber) -> SegmentNumber {
        let newest = tail.state.newest
        return number < newest ? min(next(after: number), newest) : number.next
    }

    func fileOffset(_ number: SegmentNumber, _ offset: Int) -> Int {
        geometry.segmentsOffset + ring(number) * geometry.segmentBytes + offset
    }

    func address(_ number: SegmentNumber, _ offset: Int) -> RecordAddress {
        RecordAddress(byteOffset: ring(number) * geometry.segmentBytes + offset)
    }

    /// The place of the ring, and the offset in it.
    func place(_ address: RecordAddress) -> (ring: Int, offset: Int) {
        let bytes = address.byteOffset
        return (bytes / geometry.segmentBytes, bytes % geometry.segmentBytes)
    }

    mutating func ticket(_ errand: Errand) -> DiskTicket {
        let ticket = DiskTicket(nextTicket)
        nextTicket += 1
        errands[ticket] = errand
        return ticket
    }

    mutating func write(_ bytes: [UInt8], at offset: Int, into commands: inout [DiskCommand]) {
        statistics.writtenBytes += UInt64(bytes.count)
        commands.append(.write(ticket(.write), .owned(bytes), at: offset))
    }

    /// Counts the record at that address as live.
    mutating func noteLive(_ address: RecordAddress, _ lengthClass: LengthClass) {
        segments[place(address).ring].liveCount += 1
        liveBytes += Self.liveBytes(lengthClass)
    }

    /// Counts the record as dead: it is no longer the newest of its fingerprint.
    mutating func noteDead(_ found: DiskIndex.Found?) {
        guard let found else { return }
        segments[place(found.address).ring].liveCount -= 1
        liveBytes -= Self.liveBytes(found.lengthClass)
    }

    /// Counts all records as dead: the index is empty.
    mutating func noteAllDead() {
        for ring in segments.indices { segments[ring].liveCount = 0 }
        liveBytes = 0
    }

    /// Ring bytes of a record, with its footer entry.
    static func liveBytes(_ lengthClass: LengthClass) -> Int {
        lengthClass.bytesMax + SegmentFooter.entryBytes
    }
}
