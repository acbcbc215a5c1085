import ByteCoding

/// Search for a free slot.
extension DiskIndex {
    /// Entries that one put moves at most before its part grows instead.
    static let movesMax = 200

    /// Puts an entry into one of its two buckets: the emptier one, or a full one after moving one
    /// of its entries to that entry's other bucket.
    ///
    /// - Returns: the entry left without a slot – not always the one given – after ``movesMax``
    ///   moves.
    mutating func address(_ entry: Entry, in number: Int) -> Entry? {
        let part = parts[number]
        let geometry = PartGeometry(bucketCount: part.bucketCount)
        let first = geometry.first(of: entry.hash)
        let second = geometry.second(of: entry.slot.fingerprintLow, first: first)
        let (bucket, other) = (bucket(part, first), bucket(part, second))
        let (free, otherFree) = (bucket.free, other.free)
        if free.nonzeroBitCount >= otherFree.nonzeroBitCount, free != 0 {
            bucket[free.trailingZeroBitCount] = entry.slot
            part.setFull(first, free.nonzeroBitCount == 1)
            return nil
        }
        if otherFree != 0 {
            other[otherFree.trailingZeroBitCount] = entry.slot.moved(toSecond: true)
            part.setFull(second, otherFree.nonzeroBitCount == 1)
            return nil
        }
        let intoSecond = nextDraw() & 1 == 1
        return makeRoom(
            for: entry.slot.moved(toSecond: intoSecond), at: intoSecond ? second : first, in: part)
    }

    /// A walk over full buckets: the entry replaces one that can move to a bucket with a free slot.
    /// If there is none, it replaces any entry, and the walk continues with that entry's other
    /// bucket.
    private mutating func makeRoom(
        for slot: IndexSlot, at number: UInt64, in part: IndexPart
    ) -> Entry? {
        let geometry = PartGeometry(bucketCount: part.bucketCount)
        var (moving, number) = (slot, number)
        for _ in 0..<Self.movesMax {
            let bucket = bucket(part, number)
            let begin = Int(truncatingIfNeeded: nextDraw() &>> 32)
            var (victim, next) = (IndexSlot.empty, number)
            var chosen = 0
            for offset in 0..<IndexBucket.slotCount {
                chosen = (begin &+ offset) & (IndexBucket.slotCount - 1)
                victim = bucket[chosen]
                next = geometry.other(victim, in: number)
                if !part.isFull(next) { break }
            }
            bucket[chosen] = moving
            (moving, number) = (victim.moved(toSecond: !victim.isSecond), next)
            if !part.isFull(number) {
                let bucket = self.bucket(part, number)
                let free = bucket.free
                bucket[free.trailingZeroBitCount] = moving
                part.setFull(number, free.nonzeroBitCount == 1)
                return nil
            }
        }
        return entry(moving, in: number, geometry)
    }

    /// SplitMix64: the same seed and the same calls make the same index.
    mutating func nextDraw() -> UInt64 {
        draw &+= 0x9E37_79B9_7F4A_7C15
        return StableHash.mix(draw)
    }
}
