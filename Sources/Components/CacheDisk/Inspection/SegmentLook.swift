/// Progress of the inspection of one segment.
struct SegmentLook {
    enum Step {
        case lastBlock
        /// So many bytes.
        case footer(Int)
        case records
        /// The bytes read are inspected: by the footer's entries, or record by record.
        case entries
        case scan
        case done
    }

    /// Index in ``TierFacts/segments``.
    let index: Int
    let number: SegmentNumber
    var step: Step
    var footer: [UInt8] = []
    /// From the first record on; empty if they are not read, or could not be.
    var records: [UInt8] = []
    /// Where the records end, in the segment.
    var end = DiskSegmentHeader.bytes
    /// The next entry of the footer, or the next byte of the records.
    var cursor = 0
    /// Whether the bytes before the cursor are damaged.
    var isInDamage = false

    init(index: Int, number: SegmentNumber, isActive: Bool) {
        self.index = index
        self.number = number
        step = isActive ? .records : .lastBlock
    }

    var entryCount: Int {
        max(0, footer.count - SegmentFooter.lastBlockBytes) / SegmentFooter.entryBytes
    }
}
