import CacheModel

/// The log of a tier: a ring of segments, the tail in front of it, and the index of the newest
/// record of each fingerprint.
///
///     append ─▶ tail ── slot full ──▶ write ──▶ active segment ── full ──▶ footer: sealed
///        │
///        ▼
///     DiskIndex
///
/// It does not decide which segment is emptied, and reads nothing by itself.
struct RecordLog: ~Copyable {
    let geometry: DiskGeometry
    let seal: RecordSeal
    let hasher: FingerprintHasher
    /// Of the longest record; an entry of a greater class is in parts.
    let wholeClassMax: LengthClass
    var tail: Tail
    var ring: SegmentRing
    /// By place in the ring.
    var segments: [SegmentState]
    /// The active segment, and the end of its records; `none` before the first.
    var active = SegmentNumber.none
    var end = 0
    /// Of the active segment.
    var footer = SegmentFooter()
    var index: DiskIndex
    /// Bytes of the records that the index points to, rounded up to their length classes.
    private(set) var liveBytes = 0
    /// Ring usage of each namespace, and its limit.
    var shares: RingShares
    var removals = PendingRemovals()
    /// Values that are being appended in parts.
    var stores = StoreQueue()
    var cleaning: CleaningBudget
    var errands = ErrandTable()
    /// Whether removals are recorded: the tier is open.
    var isOpen = false
    var statistics = DiskStatistics()
    var now = TierTime(milliseconds: 0)

    init(_ superblock: Superblock, tail: UnsafeMutableRawBufferPointer) {
        geometry = superblock.geometry
        seal = superblock.seal
        hasher = FingerprintHasher(seed: superblock.tier)
        let empty = Tail(tail, seal, state: TailState())
        wholeClassMax = LengthClass(bytes: Self.recordBytesMax(empty, geometry))
        self.tail = empty
        ring = SegmentRing(geometry.segmentCount)
        segments = Array(repeating: SegmentState(), count: geometry.segmentCount)
        index = DiskIndex(seed: superblock.tier)
        shares = RingShares(segmentCount: geometry.segmentCount)
        cleaning = CleaningBudget(credit: geometry.ringBytes / 2)
    }

    /// Allocated memory.
    var memoryBytes: Int {
        index.memoryBytes + footer.memoryBytes + segments.count * MemoryLayout<SegmentState>.stride
            + removals.fingerprints.count * MemoryLayout<Fingerprint>.stride + stores.byteCount
            + shares.memoryBytes + ring.memoryBytes
    }

    // MARK: Places

    func place(of number: SegmentNumber) -> Int { ring.place(of: number) }

    /// The number used after this one.
    func next(after number: SegmentNumber) -> SegmentNumber { ring.number(after: number) }

    /// The start of the log once this segment is void: the next used number; behind the newest the
    /// next of all, which may be one that will be skipped.
    func first(after number: SegmentNumber) -> SegmentNumber {
        let newest = tail.state.newest
        return number < newest ? min(next(after: number), newest) : number.next
    }

    func fileOffset(_ number: SegmentNumber, _ offset: Int) -> Int {
        geometry.segmentsOffset + place(of: number) * geometry.segmentBytes + offset
    }

    func address(_ number: SegmentNumber, _ offset: Int) -> RecordAddress {
        RecordAddress(byteOffset: place(of: number) * geometry.segmentBytes + offset)
    }

    func place(_ address: RecordAddress) -> (ring: Int, offset: Int) {
        let bytes = address.byteOffset
        return (bytes / geometry.segmentBytes, bytes % geometry.segmentBytes)
    }

    /// Uses only places without a mark of an earlier process.
    ///
    /// - Parameters:
    ///   - places: the marked ones. If they leave too few places, they are ignored.
    ///   - isUsed: whether a place has a segment of the log. Its mark is ignored: the place was
    ///     used after a failed read of the mark.
    mutating func adoptMarks(_ places: [Int], isUsed: (Int) -> Bool) {
        guard geometry.segmentCount - places.count >= DiskLimits.segmentsMin else { return }
        let outside = places.filter { !isUsed($0) }
        ring = SegmentRing(geometry.segmentCount, outside: outside)
    }

    // MARK: Commands

    mutating func ticket(_ errand: Errand) -> DiskTicket { errands.add(errand) }

    mutating func write(_ bytes: [UInt8], for errand: Errand = .write, at offset: Int) {
        statistics.writtenBytes += UInt64(bytes.count)
        errands.commands.append(.write(ticket(errand), .owned(bytes), at: offset))
    }

    mutating func read(_ byteCount: Int, at offset: Int, for errand: Errand) {
        errands.commands.append(.read(ticket(errand), byteCount: byteCount, at: offset))
    }

    mutating func synchronize(for errand: Errand) {
        errands.commands.append(.synchronize(ticket(errand)))
    }

    // MARK: Live records

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

    /// Removes a record from the index if it is still the newest of its fingerprint.
    mutating func drop(_ fingerprint: Fingerprint, at address: RecordAddress) {
        noteDead(index.remove(fingerprint, at: address))
    }

    /// Without a footer, the records of a segment are found by a search of the whole index.
    mutating func dropAll(in segment: SegmentNumber) {
        let ring = place(of: segment)
        var found: [(Fingerprint, RecordAddress)] = []
        index.forEach { fingerprint, entry in
            if place(entry.address).ring == ring { found.append((fingerprint, entry.address)) }
        }
        for (fingerprint, address) in found { drop(fingerprint, at: address) }
    }

    /// Empties the index.
    mutating func forgetIndex() {
        index.removeAll()
        for ring in segments.indices { segments[ring].liveCount = 0 }
        liveBytes = 0
    }

    /// Ring bytes of a record, with its footer entry.
    static func liveBytes(_ lengthClass: LengthClass) -> Int {
        lengthClass.bytesMax + SegmentFooter.entryBytes
    }
}
