import CMemory

/// The memory of a shard's entries: slots of fitting sizes, each for one entry.
///
///     take(bytes) ──▶ class ──▶ a slab of it with a free slot ──▶ reference
///                       │ none, and the caller allows growth
///                       ▼
///                     a new slab from BuddySpace
///     take(bytes), too large for a slot ──▶ a run of slabs of its own
///
/// `usedBytes` are touched and not released, and equal the growth of the process's memory;
/// `liveBytes` are allocated to entries. The difference is holes: slots usable by their own class
/// only, until ``planMove()`` has emptied slabs.
///
/// Entries are only bytes to copy here. It reads no clock and no limit: the tier checks them before
/// it lets the arena grow.
struct SlabArena: ~Copyable {
    let space: EntrySpace
    let slabBytes: Int
    let pageBytes: Int
    let classes: SizeClasses
    private let range: AddressRange
    private var buddies: BuddySpace
    /// By number, up to the highest slab ever used.
    var slabs: [Slab] = []
    /// Per class the slabs with a free slot; the last is used first.
    var partial: [[UInt32]]
    /// The orders and charges of runs, by first slab.
    private(set) var runs: [Int: Run] = [:]
    private(set) var usedBytes = 0
    private(set) var liveBytes = 0
    /// The slab being emptied; it receives no new entry.
    var draining: Int?

    /// Slabs that hold one large entry.
    struct Run {
        var order: Int
        var chargedBytes: Int
    }

    /// An arena for about `budgetBytes` of entries.
    init(budgetBytes: Int) {
        let pageBytes = cache_page_bytes()
        let slabBytes = Self.slabBytes(budgetBytes, pageBytes)
        let classes = SizeClasses(largest: slabBytes / 4, pageBytes: pageBytes)
        let wanted = min(max(8 * budgetBytes, 64 << 20), EntryReference.reachBytes)
        let orders = Int.bitWidth - (wanted / slabBytes - 1).leadingZeroBitCount + 1
        let range = AddressRange(byteCount: slabBytes << (orders - 1))
        // The first slab is never used, so that no reference to an entry is zero.
        var buddies = BuddySpace(orders: orders)
        _ = buddies.take(order: 0)
        self.pageBytes = pageBytes
        self.slabBytes = slabBytes
        self.classes = classes
        self.buddies = buddies
        space = EntrySpace(base: range.base)
        partial = Array(repeating: [], count: classes.bytes.count)
        self.range = range
    }

    deinit {
        for slab in slabs { slab.releaseBits() }
    }

    private static func slabBytes(_ budgetBytes: Int, _ pageBytes: Int) -> Int {
        let wanted =
            budgetBytes < 64 << 20 ? 64 << 10 : budgetBytes < 256 << 20 ? 128 << 10 : 256 << 10
        return max(wanted, 16 * pageBytes)
    }

    /// Free slots that were touched, in bytes.
    var holeBytes: Int { usedBytes - liveBytes }

    /// Bytes charged for a block: its slot, or whole pages.
    func chargedBytes(block: Int) -> Int {
        classes.chargedBytes(block: block, pageBytes: pageBytes)
    }
}

// MARK: - Allocating and freeing

extension SlabArena {
    /// Allocates a slot for a block.
    ///
    /// - Parameter mayGrow: whether unused memory may be touched.
    /// - Returns: `nil` if it would have to grow and may not, or if no addresses are left.
    mutating func take(_ blockBytes: Int, mayGrow: Bool) -> EntryReference? {
        guard let sizeClass = classes.find(blockBytes) else {
            return mayGrow ? takeRun(blockBytes) : nil
        }
        let isPaged = classes.bytes[sizeClass] >= classes.pagedBytesMin
        if isPaged && !mayGrow { return nil }
        guard let slab = slab(of: sizeClass, mayGrow: mayGrow),
            let (slot, wasCarved) = slabs[slab].takeSlot()
        else { return nil }
        if !slabs[slab].hasFreeSlot { leavePartial(slab) }
        let charge = chargedBytes(block: blockBytes)
        liveBytes += charge
        if isPaged || wasCarved { usedBytes += charge }
        return reference(slab: slab, slot: slot)
    }

    /// Frees the slot of a block of that size.
    mutating func give(_ reference: EntryReference, _ blockBytes: Int) {
        let charge = chargedBytes(block: blockBytes)
        liveBytes -= charge
        guard let sizeClass = classes.find(blockBytes) else {
            usedBytes -= charge
            return giveRun(slab(of: reference))
        }
        let (slab, slot) = place(of: reference)
        let slotBytes = classes.bytes[sizeClass]
        let uncarved = slabs[slab].giveSlot(slot)
        if slotBytes >= classes.pagedBytesMin {
            usedBytes -= charge
            cache_give_back(space.entry(reference).base, slotBytes)
        } else {
            usedBytes -= uncarved * slotBytes
        }
        if slabs[slab].usedCount == 0 {
            release(slab)
        } else if slab != draining {
            joinPartial(slab)
        }
    }

    /// Counts a filled hole; its previous slot is freed next.
    mutating func noteMoved(_ slotBytes: Int) { liveBytes += slotBytes }

    /// A slab of the class with a free slot; `nil` if that would need growth that is not allowed.
    private mutating func slab(of sizeClass: Int, mayGrow: Bool) -> Int? {
        if let last = partial[sizeClass].last {
            let slab = Int(last)
            return mayGrow || slabs[slab].holeCount > 0 ? slab : slabWithHole(of: sizeClass)
        }
        guard mayGrow, let slab = buddies.take(order: 0) else { return nil }
        while slabs.count <= slab { slabs.append(Slab()) }
        slabs[slab].begin(
            sizeClass: sizeClass, slotCount: slabBytes / classes.bytes[sizeClass])
        joinPartial(slab)
        return slab
    }

    /// The last slab of the class is being carved; holes are in the others.
    func slabWithHole(of sizeClass: Int) -> Int? {
        partial[sizeClass].last { slabs[Int($0)].holeCount > 0 }.map(Int.init)
    }

    private mutating func release(_ slab: Int) {
        if draining == slab { draining = nil }
        if slabs[slab].partialPlace >= 0 { leavePartial(slab) }
        slabs[slab].end()
        cache_give_back(space.base + slab * slabBytes, slabBytes)
        buddies.give(slab, order: 0)
    }

    private mutating func takeRun(_ blockBytes: Int) -> EntryReference? {
        let slabCount = (blockBytes + slabBytes - 1) / slabBytes
        let order = Int.bitWidth - (slabCount - 1).leadingZeroBitCount
        guard let first = buddies.take(order: order) else { return nil }
        while slabs.count <= first { slabs.append(Slab()) }
        let charge = chargedBytes(block: blockBytes)
        runs[first] = Run(order: order, chargedBytes: charge)
        usedBytes += charge
        liveBytes += charge
        return reference(slab: first, slot: 0, slotBytes: slabBytes)
    }

    private mutating func giveRun(_ first: Int) {
        guard let run = runs.removeValue(forKey: first) else {
            preconditionFailure("a large entry has a run of its own")
        }
        slabs[first].end()
        cache_give_back(space.base + first * slabBytes, run.chargedBytes)
        buddies.give(first, order: run.order)
    }
}

// MARK: - Slabs with free slots

extension SlabArena {
    mutating func joinPartial(_ slab: Int) {
        guard slabs[slab].partialPlace < 0 else { return }
        let sizeClass = Int(slabs[slab].sizeClass)
        slabs[slab].partialPlace = Int32(partial[sizeClass].count)
        partial[sizeClass].append(UInt32(slab))
    }

    mutating func leavePartial(_ slab: Int) {
        let sizeClass = Int(slabs[slab].sizeClass)
        let place = Int(slabs[slab].partialPlace)
        let last = Int(partial[sizeClass].removeLast())
        if last != slab {
            partial[sizeClass][place] = UInt32(last)
            slabs[last].partialPlace = Int32(place)
        }
        slabs[slab].partialPlace = -1
    }
}

// MARK: - References

extension SlabArena {
    func slab(of reference: EntryReference) -> Int {
        Int(reference.rawValue) * EntryReference.unitBytes / slabBytes
    }

    func place(of reference: EntryReference) -> (slab: Int, slot: Int) {
        let offset = Int(reference.rawValue) * EntryReference.unitBytes
        let slab = offset / slabBytes
        return (slab, offset % slabBytes / classes.bytes[Int(slabs[slab].sizeClass)])
    }

    /// A run of a large entry counts as one slot.
    func reference(slab: Int, slot: Int) -> EntryReference {
        let isRun = !slabs[slab].isUsed
        return reference(
            slab: slab, slot: slot,
            slotBytes: isRun ? slabBytes : classes.bytes[Int(slabs[slab].sizeClass)])
    }

    /// The lowest slot in use from `start` on, in a slab or a run.
    func firstUsed(slab: Int, from start: Int) -> Int? {
        if slabs[slab].isUsed { return slabs[slab].firstUsed(from: start) }
        return start == 0 && runs[slab] != nil ? 0 : nil
    }

    private func reference(slab: Int, slot: Int, slotBytes: Int) -> EntryReference {
        let offset = slab * slabBytes + slot * slotBytes
        return EntryReference(rawValue: UInt32(offset / EntryReference.unitBytes))
    }
}
