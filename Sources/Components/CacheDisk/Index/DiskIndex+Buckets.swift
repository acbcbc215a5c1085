/// Conversion between fingerprints and slots.
extension DiskIndex {
    /// A slot that holds an entry.
    struct Spot {
        let bucket: IndexBucket
        let number: UInt64
        let slot: Int
    }

    /// An entry without a slot: the lower 26 bits of its fingerprint, and its slot's content.
    struct Entry {
        let hash: UInt64
        let slot: IndexSlot
    }

    @inline(__always)
    static func part(_ fingerprint: Fingerprint) -> Int {
        Int(truncatingIfNeeded: fingerprint.rawValue &>> PartGeometry.hashBits)
    }

    @inline(__always)
    static func hash(_ fingerprint: Fingerprint) -> UInt64 {
        fingerprint.rawValue & PartGeometry.hashMask
    }

    @inline(__always)
    static func low(_ fingerprint: Fingerprint) -> UInt64 {
        fingerprint.rawValue & IndexSlot.fingerprintMask
    }

    static func fingerprint(_ part: Int, _ hash: UInt64) -> Fingerprint {
        Fingerprint(rawValue: UInt64(part) << PartGeometry.hashBits | hash)
    }

    @inline(__always)
    func bucket(_ part: IndexPart, _ number: UInt64) -> IndexBucket {
        let number = Int(truncatingIfNeeded: number)
        let page = pages.address(part.page(number / IndexPart.bucketsPerPage))
        return IndexBucket(base: page + number % IndexPart.bucketsPerPage &* IndexBucket.bytes)
    }

    @inline(__always)
    func spot(of fingerprint: Fingerprint) -> Spot? {
        let part = parts[Self.part(fingerprint)]
        guard part.pageCount > 0 else { return nil }
        let geometry = PartGeometry(bucketCount: part.bucketCount)
        let low = Self.low(fingerprint)
        let first = geometry.first(of: Self.hash(fingerprint))
        let bucket = bucket(part, first)
        if let slot = bucket.slot(of: low, isSecond: false) {
            return Spot(bucket: bucket, number: first, slot: slot)
        }
        let second = geometry.second(of: low, first: first)
        let other = self.bucket(part, second)
        guard let slot = other.slot(of: low, isSecond: true) else { return nil }
        return Spot(bucket: other, number: second, slot: slot)
    }

    /// Prefetches the buckets of a fingerprint into the processor's caches.
    ///
    /// A series of calls waits for memory about once, as the reads are independent; the operations
    /// that follow do not wait any more.
    mutating func fetch(_ fingerprint: Fingerprint) {
        let part = parts[Self.part(fingerprint)]
        guard part.pageCount > 0 else { return }
        let geometry = PartGeometry(bucketCount: part.bucketCount)
        let first = geometry.first(of: Self.hash(fingerprint))
        let second = geometry.second(of: Self.low(fingerprint), first: first)
        fetched ^= bucket(part, first)[0].bits ^ bucket(part, second)[0].bits
    }

    @inline(__always)
    func spot(of fingerprint: Fingerprint, at address: RecordAddress) -> Spot? {
        guard let spot = spot(of: fingerprint), spot.bucket[spot.slot].address == address else {
            return nil
        }
        return spot
    }

    /// The entry in a slot of bucket `number`, on the way to its first bucket.
    func entry(_ slot: IndexSlot, in number: UInt64, _ geometry: PartGeometry) -> Entry {
        let low = slot.fingerprintLow
        let first = slot.isSecond ? geometry.first(of: low, second: number) : number
        return Entry(
            hash: geometry.hash(of: low, first: first), slot: slot.moved(toSecond: false))
    }

    func forEachEntry(of part: Int, _ body: (Entry) -> Void) {
        let part = parts[part]
        guard part.pageCount > 0 else { return }
        let geometry = PartGeometry(bucketCount: part.bucketCount)
        for number in 0..<geometry.bucketCount {
            let bucket = bucket(part, number)
            for slot in 0..<IndexBucket.slotCount where !bucket[slot].isEmpty {
                body(entry(bucket[slot], in: number, geometry))
            }
        }
    }
}
