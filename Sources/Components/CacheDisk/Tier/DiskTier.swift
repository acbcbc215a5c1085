import ByteCoding
import CacheModel

/// The log-structured tier of one shard, as a machine: it decides, and touches nothing.
///
/// ### Who calls it
/// One thread: the shard that owns these keys. It performs the commands that come back, in their
/// order, and hands each one's completion to ``completed(_:into:news:)``. Nothing here waits.
///
///     append ─▶ tail ── slot full ──▶ write ──▶ active segment ── full ──▶ footer: sealed
///        │                                                                    │ oldest
///        ▼                                                                    ▼
///     DiskIndex ◀── used: appended again ◀── read ◀──────────────────── reclaiming ──▶ free
///        │
///     find ──▶ in the tail: at once · else read ──▶ proven? still indexed? ──▶ found
///
/// ### One turn
/// Requests append, remove and find. Completions come in between. ``tick(into:news:)`` does a
/// slice of what takes long: recovering, reclaiming, removals that had to wait.
///
/// ### What it never does
/// It never hands out what it cannot prove, nor what was removed or replaced since. It never says
/// whether an entry may be seen: floors and leases are the mind's. It never holds a value in
/// memory but in the tail, and while it is read.
package struct DiskTier: ~Copyable {
    package enum State: Equatable {
        case recovering
        /// What has to be on the disk before anything is appended is on its way there.
        case beginning
        case open
        case closing
        case closed
        case failed(DiskFailure)
        /// What lies there is not believed.
        case unusable(UnusableCause)
    }

    /// What a command was for.
    enum Errand {
        case slot
        case write
        /// A segment and its footer survive losing power.
        case sealed(SegmentNumber)
        case checkpoint(LogMark)
        /// The superblock says that the tier is open, and survives losing power.
        case opening
        case read(ReadInFlight)
        /// A part of the value that the read with this ticket puts together.
        case part(DiskTicket, Int)
        case reclaimFooter
        /// A piece of the segment that is reclaimed, whose records are appended again.
        case reclaimPiece(SegmentNumber, Range<Int>)
        /// The record of an entry whose parts in this segment are reclaimed.
        case moveDivided(ReadInFlight, SegmentNumber)
        case recovery(RecoveryRead)
        /// Everything survives losing power: only now the superblock may say so.
        indirect case closing(Superblock)
        /// The superblock says that the tier was ended in order, and survives losing power.
        case closed
        /// A place gives its room back.
        case releasing(Int)
        /// As a process before this one had begun to, perhaps.
        case releasedAgain
        /// A place gets its room again.
        case reserving(Int)
        /// The mark of a place that has room is removed.
        case unmarking(Int)
    }

    struct ReadInFlight {
        var fingerprint: Fingerprint
        var address: RecordAddress
        var segment: SegmentNumber
        /// What counts against the bound of reads.
        var byteCount = 0
    }

    package let superblock: Superblock
    package let geometry: DiskGeometry
    let seal: RecordSeal
    package let hasher: FingerprintHasher
    /// Of the longest record; what the index says is longer lies in parts.
    let wholeClassMax: LengthClass
    var tail: Tail
    var index: DiskIndex
    /// By place in the ring.
    var segments: [SegmentState]
    /// Which places have room.
    var space: TierSpace
    /// The one that is written, and where its records end; `none` before the first.
    var active = SegmentNumber.none
    var end = 0
    /// Of the active segment.
    var footer = SegmentFooter()
    /// Stores in parts, in the order in which they are appended, and the bytes of their values.
    var storing: [DividedStore] = []
    var storingBytes = 0
    /// Values in parts that are being put together, by the ticket that was given for them.
    var assembling: [DiskTicket: DividedRead] = [:]
    /// Removals for which there was no room.
    var pending: [Fingerprint] = []
    var isResetPending = false
    var errands: [DiskTicket: Errand] = [:]
    /// Reads by what is read, so that they are joined.
    var reading: [Fingerprint: DiskTicket] = [:]
    /// Bytes that these ask for.
    var readingBytes = 0
    var nextTicket: UInt64 = 1
    var reclaiming: Reclaim?
    /// Beside ``reclaiming`` for the reason given at ``recoveryWork``.
    var reclaimPiece = ReclaimPiece()
    /// What the records take that the index points to, rounded up to their length classes.
    var liveBytes = 0
    /// How many bytes cleaning may still write: it is paid by what is stored.
    var cleaningCredit: Int
    /// What each namespace takes of the ring, and may.
    var shares: NamespaceShares
    /// Where the newest record lies that was appended again.
    package internal(set) var newestMove = SegmentNumber.none
    var recovery: Recovery?
    /// Beside ``recovery`` and not in it: an array that is replaced through the optional is never
    /// released (Swift 6.3.1; the address sanitizer tells).
    var recoveryWork = Recovery.Work.nothing
    /// What is told once the tier is open.
    var recovered: RecoveredTier?
    var checkpointCounter: UInt64 = 0
    package internal(set) var state = State.recovering
    package internal(set) var statistics = DiskStatistics()
    package var now = TierTime(milliseconds: 0)
    /// Of a segment's bytes, how much is appended again when it is reclaimed and the ring is full.
    /// 0: nothing is, nor is the ring cleaned.
    package var movedShareMax = DiskLimits.movedShareMax

    /// - Parameters:
    ///   - superblock: of this life: it is open, and has this machine's facts and clock.
    ///   - tail: the mapped part of the file. It stays until the tier is gone.
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
        shares = NamespaceShares(segmentCount: geometry.segmentCount)
        space = TierSpace(geometry)
    }

    package var entryCount: Int { index.count }

    /// Memory that it has allocated.
    package var memoryBytes: Int {
        index.memoryBytes + footer.memoryBytes + segments.count * MemoryLayout<SegmentState>.stride
            + pending.count * MemoryLayout<Fingerprint>.stride + storingBytes
            + reclaimPiece.bytes.count + shares.memoryBytes + space.ring.memoryBytes
    }

    /// Before a tier is open nothing is stored and nothing removed: a removal that it does not
    /// hear would be missed once it has recovered what was removed.
    func expectBegun() {
        precondition(state != .recovering && state != .beginning, "a tier is told once it is open")
    }

    // MARK: Places

    func ring(_ number: SegmentNumber) -> Int { space.ring.place(of: number) }

    /// The number that is used after this one.
    func next(after number: SegmentNumber) -> SegmentNumber { space.ring.number(after: number) }

    /// What the log begins with once this segment is nothing: the next number that was used; behind
    /// the newest the next of all, which may be one that will be passed over.
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

    /// Which place of the ring, and where in it.
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

    /// A record at that address is its fingerprint's.
    mutating func noteLive(_ address: RecordAddress, _ lengthClass: LengthClass) {
        segments[place(address).ring].liveCount += 1
        liveBytes += Self.liveBytes(lengthClass)
    }

    /// The record is not the one its fingerprint has any more.
    mutating func noteDead(_ found: DiskIndex.Found?) {
        guard let found else { return }
        segments[place(found.address).ring].liveCount -= 1
        liveBytes -= Self.liveBytes(found.lengthClass)
    }

    /// The index points to nothing.
    mutating func noteAllDead() {
        for ring in segments.indices { segments[ring].liveCount = 0 }
        liveBytes = 0
    }

    /// What a record takes of the ring, with its place in a footer.
    static func liveBytes(_ lengthClass: LengthClass) -> Int {
        lengthClass.bytesMax + SegmentFooter.entryBytes
    }
}
