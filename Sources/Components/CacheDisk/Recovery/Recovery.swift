/// Purpose of a read during recovery.
enum RecoveryRead {
    case checkpoint
    case header(ring: Int)
    case lastBlock
    case footer
    case records
    case write
}

/// Progress of the recovery of an earlier process's log.
///
///     tail ─▶ checkpoints, headers ─▶ runs of the tail to their segments ─▶ segment by segment:
///             valid footer? its entries · else its records, up to their known end
struct Recovery {
    enum Step {
        /// Checkpoints and headers are read.
        case heads
        /// The tail's runs are written to their segments.
        case runs
        /// The segments are read, the oldest first.
        case segments
    }

    var step = Step.heads
    /// Commands that have not been completed.
    var awaited = 0
    var checkpoints: [Checkpoint] = []
    /// By place in the ring.
    var headers: [DiskSegmentHeader?]
    /// Places marked as withdrawn.
    var marked: [Int] = []
    var runs: [Tail.Run] = []
    /// The last state written by the earlier process.
    let tailState: TailState
    /// The segment that is being read.
    var segment = SegmentNumber.none
    var damageCount = 0
    var segmentCount = 0

    /// Work on the segment, in slices.
    enum Work {
        case nothing
        /// Its footer's entries, from the cursor on.
        case entries([UInt8], cursor: Int, count: Int, end: Int)
        /// Its records, up to their known end.
        case records([UInt8], cursor: Int, end: Int)
        /// Its records and removals are unknown: it and all earlier segments are void.
        case unknown
    }

    /// Whether a segment of the log is at this place, according to its header or to the tail's
    /// runs. One of the two always exists, because a run leaves the tail only once it is written,
    /// and the header is written before it.
    func hasSegment(at place: Int, in ring: SegmentRing) -> Bool {
        let (oldest, newest) = (tailState.oldest, tailState.newest)
        guard newest >= oldest, newest != .none else { return false }
        let numbers = [headers[place]?.number, newest].compactMap(\.self) + runs.map(\.segment)
        return numbers.contains {
            $0 >= oldest && $0 <= newest && $0 != .none && ring.place(of: $0) == place
        }
    }

    /// The known end of the records of the segment that is being read.
    func knownEnd(_ log: borrowing RecordLog) -> Int? {
        let newest = tailState.newest
        if segment == newest {
            let ends = runs.filter { $0.segment == segment }.map(\.end)
            return max(tailState.settledEnd, ends.max() ?? 0)
        }
        let next = log.next(after: segment)
        if next == newest { return tailState.previousEnd }
        let header = headers[log.place(of: next)]
        return header?.number == next ? header?.previousEnd : nil
    }

    init(_ tailState: TailState, runs: [Tail.Run], ringCount: Int) {
        self.tailState = tailState
        self.runs = runs
        headers = Array(repeating: nil, count: ringCount)
    }
}

/// Progress of a tier's recovery.
package struct RecoveryProgress: Equatable, Sendable {
    /// Segments in the log according to the tail; 0 before that is read.
    package var segmentCount: Int
    package var segmentsRead: Int
    package var entryCount: Int

    package init(segmentCount: Int, segmentsRead: Int, entryCount: Int) {
        self.segmentCount = segmentCount
        self.segmentsRead = segmentsRead
        self.entryCount = entryCount
    }
}
