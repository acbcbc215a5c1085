import ByteCoding

/// The end of the log: a range of the file mapped into memory, which this process writes in place.
///
///     ┌ page ────────────┐┌ slot 0 ─────────────┐┌ slot 1 ───┐ …
///     │ state A, state B ││ head │ records …    ││           │
///     └──────────────────┘└─────────────────────┘└───────────┘
///
/// Appended records survive kill -9: each slot names the segment and start of its run, and the
/// records have checksums. A slot is reused once its bytes are in their segment.
///
/// It owns no memory: the tier's creator keeps the mapping until the tier is gone.
struct Tail {
    static let slotCount = 8

    let memory: UnsafeMutableRawBufferPointer
    let seal: RecordSeal
    let slotBytes: Int
    private(set) var slots: [TailSlot]
    private(set) var state: TailState
    private(set) var open: Int?
    /// The slot with the newest run, which marks the end of the log. It is not reused before there
    /// is a newer one.
    private var newest: Int?

    init(_ memory: UnsafeMutableRawBufferPointer, _ seal: RecordSeal, state: TailState) {
        self.memory = memory
        self.seal = seal
        self.state = state
        slotBytes = Self.slotBytes(tail: memory.count)
        slots = Array(repeating: TailSlot(), count: Self.slotCount)
    }

    static func slotBytes(tail bytes: Int) -> Int {
        (bytes - DiskLimits.pageBytes) / slotCount & ~63
    }

    var recordBytesMax: Int { slotBytes - TailSlot.headBytes }

    /// Slots that can be opened.
    var freeCount: Int { slots.indices.count { isFree($0) } }

    private func isFree(_ number: Int) -> Bool { slots[number].use == .free && number != newest }

    // MARK: Runs

    /// Marks every slot as empty: the initial content of a tail.
    func clear() {
        for number in slots.indices { mark(number, TailSlot.emptyMagic) }
    }

    private func mark(_ number: Int, _ magic: UInt64) {
        head(number).storeBytes(of: magic.littleEndian, as: UInt64.self)
    }

    /// Bytes left in the open slot, if the log continues there.
    var roomBytes: Int {
        open.map { slotBytes - TailSlot.headBytes - slots[$0].count } ?? 0
    }

    /// Opens a slot for the run that starts there.
    ///
    /// - Returns: whether a slot was free.
    mutating func begin(_ segment: SegmentNumber, at offset: Int) -> Bool {
        precondition(open == nil, "one run after the other")
        guard let number = slots.indices.first(where: isFree) else { return false }
        slots[number] = TailSlot(use: .open, segment: segment, start: offset)
        (open, newest) = (number, number)
        let head = head(number)
        // Empty while it is changed: a process killed in between left no run here.
        mark(number, TailSlot.emptyMagic)
        var cursor = RecordCursor(head)
        cursor.offset = 12
        cursor.put(UInt32(offset))
        cursor.put(segment.rawValue)
        count(number, 0)
        let body = UnsafeRawBufferPointer(rebasing: head[12..<24])
        cursor.offset = 8
        cursor.put(seal.checksum(body, in: .none, at: 2))
        mark(number, TailSlot.magic)
        return true
    }

    /// Appends a record to the open run.
    ///
    /// - Parameter write: fills the record. It is counted only after that.
    mutating func append(_ bytes: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        guard let open, bytes <= roomBytes else { preconditionFailure("not enough space") }
        let from = recordsOffset(open) + slots[open].count
        write(UnsafeMutableRawBufferPointer(rebasing: memory[from..<from + bytes]))
        slots[open].count += bytes
        count(open, slots[open].count)
    }

    /// Stores the byte count of a slot. Valid records count regardless of it: it tells whether
    /// there were more.
    private func count(_ number: Int, _ bytes: Int) {
        head(number).storeBytes(
            of: UInt32(bytes).littleEndian, toByteOffset: 24, as: UInt32.self)
    }

    /// Closes the open run, which is to be written now; `nil` if there is none.
    mutating func finish(
        _ ticket: DiskTicket
    ) -> (range: Range<Int>, segment: SegmentNumber, offset: Int)? {
        guard let number = open else { return nil }
        open = nil
        let slot = slots[number]
        guard slot.count > 0 else {
            slots[number].use = .free
            return nil
        }
        slots[number].use = .writing(ticket)
        let from = recordsOffset(number)
        return (from..<from + slot.count, slot.segment, slot.start)
    }

    /// Frees the slot after its bytes are in their segment.
    ///
    /// - Returns: whether the ticket was a slot's.
    mutating func written(_ ticket: DiskTicket) -> Bool {
        guard let number = slots.firstIndex(where: { $0.use == .writing(ticket) }) else {
            return false
        }
        slots[number].use = .free
        return true
    }

    /// The bytes from this offset of that segment on, if they are in the tail.
    func bytes(at offset: Int, of segment: SegmentNumber) -> UnsafeRawBufferPointer? {
        guard let number = slots.firstIndex(where: { $0.holds(offset, of: segment) }) else {
            return nil
        }
        let from = recordsOffset(number)
        let slot = slots[number]
        return UnsafeRawBufferPointer(
            rebasing: memory[from + offset - slot.start..<from + slot.count])
    }

    private func slotOffset(_ number: Int) -> Int { DiskLimits.pageBytes + number * slotBytes }

    private func recordsOffset(_ number: Int) -> Int { slotOffset(number) + TailSlot.headBytes }

    private func head(_ number: Int) -> UnsafeMutableRawBufferPointer {
        let from = slotOffset(number)
        return UnsafeMutableRawBufferPointer(rebasing: memory[from..<from + TailSlot.headBytes])
    }

    // MARK: State

    /// Changes the stored state: overwrites the older of two copies.
    mutating func say(_ change: (inout TailState) -> Void) {
        var next = state
        change(&next)
        guard next != state || state.counter == 0 else { return }
        next.counter = state.counter + 1
        state = next
        for copy in 0..<2 {
            let from = TailState.copyOffsets[Int(next.counter % 2) * 2 + copy]
            next.encode(
                into: UnsafeMutableRawBufferPointer(
                    rebasing: memory[from..<from + TailState.bytes]), seal)
        }
    }

    // MARK: Recovery

    /// The last state of an earlier process; `nil` if no copy is valid.
    static func state(
        _ memory: UnsafeRawBufferPointer, _ seal: RecordSeal, _ geometry: DiskGeometry
    ) -> TailState? {
        TailState.copyOffsets.compactMap {
            let copy = UnsafeRawBufferPointer(rebasing: memory[$0..<$0 + TailState.bytes])
            return TailState(copy, seal, geometry)
        }.max { $0.counter < $1.counter }
    }

    /// A run left by an earlier process.
    struct Run {
        var segment: SegmentNumber
        var start: Int
        /// Up to the last valid record.
        var bytes: [UInt8]
        /// Its end according to the process that wrote it.
        var end: Int
    }

    /// The runs in the slots, by segment and offset, and the number of damaged heads, the runs of
    /// which are unknown.
    static func runs(
        _ memory: UnsafeRawBufferPointer, _ seal: RecordSeal, _ geometry: DiskGeometry
    ) -> (found: [Run], damagedCount: Int) {
        let slotBytes = slotBytes(tail: memory.count)
        var runs: [Run] = []
        var damagedCount = 0
        for number in 0..<slotCount {
            let from = DiskLimits.pageBytes + number * slotBytes
            let slot = UnsafeRawBufferPointer(rebasing: memory[from..<from + slotBytes])
            if StoredInteger.read(slot, at: 0) == TailSlot.emptyMagic { continue }
            // An empty run still marks the end of the log.
            if let run = run(slot, seal, geometry) {
                runs.append(run)
            } else {
                damagedCount += 1
            }
        }
        runs.sort { ($0.segment, $0.start) < ($1.segment, $1.start) }
        return (runs, damagedCount)
    }

    /// The run in one slot; `nil` if its head is damaged or impossible.
    private static func run(
        _ slot: UnsafeRawBufferPointer, _ seal: RecordSeal, _ geometry: DiskGeometry
    ) -> Run? {
        let body = UnsafeRawBufferPointer(rebasing: slot[12..<24])
        guard StoredInteger.read(slot, at: 0) == TailSlot.magic,
            StoredInteger.read(slot, at: 8, as: UInt32.self)
                == seal.checksum(body, in: .none, at: 2),
            let segment = SegmentNumber(stored: StoredInteger.read(slot, at: 16))
        else { return nil }
        let start = Int(StoredInteger.read(slot, at: 12, as: UInt32.self))
        guard geometry.mayBeRecord(at: start) else { return nil }
        let said = Int(StoredInteger.read(slot, at: 24, as: UInt32.self))
        let reading = RecordReading(seal: seal, segment: segment)
        let records = UnsafeRawBufferPointer(rebasing: slot[TailSlot.headBytes...])
        var count = 0
        while count < records.count,
            let proven = reading.record(
                UnsafeRawBufferPointer(rebasing: records[count...]), at: start + count)
        {
            count += proven.bytes
        }
        guard start + count <= geometry.segmentBytes else { return nil }
        return Run(
            segment: segment, start: start, bytes: [UInt8](records[0..<count]),
            end: start + max(count, said))
    }

    /// Continues an earlier process's state. Must precede any change, which would seem older.
    mutating func adopt(_ earlier: TailState) { state = earlier }
}

/// One buffer of the tail: a run of the log that is not yet in a segment.
struct TailSlot {
    enum Use: Equatable {
        case free
        /// Records are appended to it.
        case open
        /// Its bytes are being written to their segment.
        case writing(DiskTicket)
    }

    /// Bytes before its records, which identify the run.
    static let headBytes = 32
    /// "MARTDSL1"
    static let magic: UInt64 = 0x314C_5344_5452_414D
    /// "MARTDSE1": never used, or its opening was interrupted. Not zeros, which a lost page has
    /// too.
    static let emptyMagic: UInt64 = 0x3145_5344_5452_414D

    var use = Use.free
    var segment = SegmentNumber.none
    /// Start of its run in the segment.
    var start = 0
    /// Bytes of records.
    var count = 0

    /// Whether it holds the record at this offset of that segment.
    func holds(_ offset: Int, of segment: SegmentNumber) -> Bool {
        use != .free && self.segment == segment && offset >= start && offset < start + count
    }
}
