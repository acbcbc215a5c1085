import CacheInvalidation
import CacheModel

/// What of a log can be read from files: the log's thread puts it there, the publisher's reads it.
/// Both prove what was sealed by an earlier process and let go what is damaged.
struct LogShelf: Sendable {
    /// One segment, and how much of it is whole.
    struct Segment: Sendable {
        let header: SegmentHeader
        let path: String
        /// Where it ends; as the next one's header has it while it is not proven.
        var head: LogMark
        var usedBytes: Int
        /// `nil` until it is proven: until then nobody sees a record of it.
        var index: SegmentIndex?

        var name: SegmentName { header.name }
        var isProven: Bool { index != nil }
    }

    var log = LogID.none
    var epoch = Epoch.none
    /// Whether the beginning of that epoch is on the disk, and the stamp says so.
    var isBegun = false
    /// The longest lease that the stamp tells of.
    var leaseMilliseconds: UInt32 = 0
    /// Contiguous, oldest first. The last is proven.
    var segments: [Segment] = []
    /// What left because it was damaged, oldest first; its files are still there.
    private(set) var condemned: [SegmentName] = []
    var figures = LogShelfFigures()

    init() {}

    init(log: LogID, epoch: Epoch, isBegun: Bool, segments: [Segment]) {
        self.log = log
        self.epoch = epoch
        self.isBegun = isBegun
        self.segments = segments
    }

    /// The segment that holds the record after `sequence`.
    ///
    /// - Complexity: O(segments).
    func segment(after sequence: SequenceNumber) -> Segment? {
        guard let segment = segments.last(where: { $0.header.base.position.sequence <= sequence })
        else { return nil }
        return sequence < segment.head.position.sequence ? segment : nil
    }

    /// The newest segment that nobody has proven yet.
    var newestSealed: Segment? { segments.last { !$0.isProven } }

    /// A segment is proven, if it still is on the shelf.
    mutating func note(proven segment: Segment) {
        guard let place = segments.firstIndex(where: { $0.name == segment.name }),
            !segments[place].isProven
        else { return }
        segments[place] = segment
    }

    /// A segment is damaged: it and everything before it is no longer kept.
    ///
    /// - Returns: whether it was on the shelf.
    mutating func letGo(through name: SegmentName) -> Bool {
        guard let place = segments.firstIndex(where: { $0.name == name }) else { return false }
        precondition(place + 1 < segments.count, "the segment that is written is not judged")
        condemned += segments[...place].map(\.name)
        segments.removeFirst(place + 1)
        figures.damaged += 1
        return true
    }

    /// The names of the files that are to be removed because of damage; each is told once.
    mutating func takeCondemned() -> [SegmentName] {
        defer { condemned = [] }
        return condemned
    }
}

/// What the log's thread counts for STATUS.
struct LogShelfFigures: Sendable {
    /// The newest record that is synchronized.
    var synchronized = SequenceNumber.none
    var synchronizations: UInt64 = 0
    /// How long the last one took.
    var lastSynchronization: Duration = .zero
    /// Segments that were found damaged after the start.
    var damaged: UInt64 = 0
}
