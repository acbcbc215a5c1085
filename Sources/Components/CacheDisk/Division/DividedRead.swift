/// A value in parts during reassembly.
struct DividedRead {
    enum Purpose {
        /// A request waits for it.
        case answer
        /// It is stored again, because the parts in this segment are reclaimed.
        case move(SegmentNumber)
    }

    let read: ReadInFlight
    let purpose: Purpose
    /// The entry's record.
    let head: [UInt8]
    let places: [PartPlace]
    /// The value so far.
    private(set) var value: [UInt8] = []
    /// Parts requested so far, from the first on.
    private(set) var askedCount = 0
    private var takenCount = 0
    /// Parts that arrived before one that precedes them.
    private var early: [Int: [UInt8]] = [:]

    init(
        _ read: ReadInFlight, _ purpose: Purpose, head: [UInt8], _ list: PartList
    ) {
        self.read = read
        self.purpose = purpose
        self.head = head
        places = list.places
        value.reserveCapacity(list.valueBytes)
    }

    var isWhole: Bool { takenCount == places.count }

    /// The next part to request, if any and if not too many are in flight.
    mutating func nextPart() -> Int? {
        guard askedCount < places.count, askedCount - takenCount < DiskLimits.partReadsMax else {
            return nil
        }
        askedCount += 1
        return askedCount - 1
    }

    mutating func take(_ part: UnsafeRawBufferPointer, _ number: Int) {
        guard number == takenCount else { return early[number] = [UInt8](part) }
        value.append(contentsOf: part)
        takenCount += 1
        while let next = early.removeValue(forKey: takenCount) {
            value.append(contentsOf: next)
            takenCount += 1
        }
    }

    /// Ring bytes that its parts in one segment use.
    func partBytes(in segment: SegmentNumber) -> Int {
        places.reduce(0) {
            $0 + ($1.segment == segment ? $1.recordBytes + SegmentFooter.entryBytes : 0)
        }
    }

    var record: FoundRecord {
        FoundRecord(bytes: head, value: value, fingerprint: read.fingerprint)
    }
}
