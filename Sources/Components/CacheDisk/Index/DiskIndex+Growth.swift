/// Growing and shrinking of parts.
extension DiskIndex {
    /// A part with fewer entries per page shrinks: a third of its slots.
    static let entriesPerPageMin = IndexPart.slotsPerPage / 3
    /// Entries per page after that: three quarters, far from both bounds.
    private static let entriesPerPageShrunk = IndexPart.slotsPerPage * 3 / 4

    /// Inserts an entry with a new fingerprint.
    mutating func insert(_ entry: Entry, in number: Int) {
        if parts[number].hasEnough { rebuild(number, pageCount: grown(parts[number].pageCount)) }
        let left = address(entry, in: number)
        parts[number].count += 1
        count += 1
        if let left {
            rebuild(number, pageCount: grown(parts[number].pageCount), with: left)
        }
    }

    /// Empties a slot. The other entries may move.
    mutating func clear(_ spot: Spot, in number: Int) {
        spot.bucket[spot.slot] = .empty
        parts[number].setFull(spot.number, false)
        parts[number].count -= 1
        count -= 1
        let (entries, pageCount) = (Int(parts[number].count), Int(parts[number].pageCount))
        if entries == 0 {
            resize(number, pageCount: 0)
        } else if pageCount > 1, entries < pageCount * Self.entriesPerPageMin {
            let enough = (entries + Self.entriesPerPageShrunk - 1) / Self.entriesPerPageShrunk
            rebuild(number, pageCount: enough)
        }
        if count == 0 { space.removeAll() }
    }

    /// An eighth larger on average: from a sixteenth to three sixteenths, so that parts of equal
    /// size do not stay equal. A small part grows by one page or two.
    private mutating func grown(_ pages: UInt32) -> Int {
        let pageCount = Int(pages)
        guard pageCount >= 8 else { return pageCount + 1 + Int(nextDraw() & 1) }
        let sixteenths = pageCount + drawn(below: 2 * pageCount)
        return pageCount + (sixteenths + 8) / 16
    }

    private mutating func drawn(below bound: Int) -> Int {
        Int(nextDraw().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Rebuilds a part with at least so many pages, from its entries and `left`.
    ///
    /// - Complexity: O(entries of the part), and temporarily a second copy of its memory.
    private mutating func rebuild(_ number: Int, pageCount: Int, with left: Entry? = nil) {
        var pageCount = pageCount
        space.copy(parts[number], pages)
        while !refill(number, pageCount: pageCount, with: left) {
            pageCount = grown(UInt32(pageCount))
        }
    }

    /// Fills a part of so many pages with the copied entries.
    ///
    /// - Returns: whether all found a slot.
    private mutating func refill(_ number: Int, pageCount: Int, with left: Entry?) -> Bool {
        resize(number, pageCount: pageCount)
        let part = parts[number]
        for order in 0..<pageCount {
            part.clearFull(order)
            pages.address(part.page(order)).initializeMemory(
                as: UInt64.self, repeating: IndexSlot.empty.bits, count: IndexPart.slotsPerPage)
        }
        for entry in fill(part) {
            guard address(entry, in: number) == nil else { return false }
        }
        guard let left else { return true }
        return address(left, in: number) == nil
    }

    /// Puts each copied entry into the emptier of its two new buckets. These are filled from their
    /// lowest slot on, so no slot has to be inspected.
    ///
    /// - Returns: the few entries with two full buckets.
    private mutating func fill(_ part: IndexPart) -> [Entry] {
        guard space.bucketCount > 0 else { return [] }
        let (old, new) = (
            PartGeometry(bucketCount: space.bucketCount),
            PartGeometry(bucketCount: part.bucketCount)
        )
        let fills = space.fills(bucketCountNext: part.bucketCount)
        let beginnings = space.beginnings
        var rest: [Entry] = []
        for number in 0..<space.bucketCount {
            let bucket = space.bucket(number)
            for index in 0..<IndexBucket.slotCount {
                let slot = bucket[index]
                guard !slot.isEmpty else { continue }
                let low = slot.fingerprintLow
                let spread = PartGeometry.spread(low)
                let home =
                    slot.isSecond ? old.first(second: UInt64(number), spread) : UInt64(number)
                let hash = PartGeometry.hash(of: low, from: UInt64(beginnings[Int(home)]))
                let first = new.first(of: hash)
                let second = new.second(first: first, spread)
                let (taken, otherTaken) = (fills[Int(first)], fills[Int(second)])
                let isSecond = otherTaken < taken
                let fewer = isSecond ? otherTaken : taken
                guard fewer < IndexBucket.slotCount else {
                    rest.append(Entry(hash: hash, slot: slot.moved(toSecond: false)))
                    continue
                }
                let chosen = isSecond ? second : first
                self.bucket(part, chosen)[Int(fewer)] = slot.moved(toSecond: isSecond)
                fills[Int(chosen)] = fewer + 1
                if fewer + 1 == IndexBucket.slotCount { part.setFull(chosen, true) }
            }
        }
        return rest
    }

    /// Allocates pages for a part, or releases its last ones. Their content is not changed.
    private mutating func resize(_ number: Int, pageCount: Int) {
        listBytes -= parts[number].listBytes
        while parts[number].pageCount < pageCount {
            let owner = IndexPages.Owner(part: number, order: Int(parts[number].pageCount))
            parts[number].append(pages.take(for: owner))
        }
        while parts[number].pageCount > pageCount {
            let page = parts[number].removeLast()
            // The last page of all has been renumbered to this one.
            if let moved = pages.giveBack(page) { parts[moved.part].setPage(moved.order, page) }
        }
        listBytes += parts[number].listBytes
    }
}
