import CacheInvalidation
import CacheModel

/// The segments of a log that can be read from files: the log's thread adds them, the publisher's
/// thread reads them. Both prove segments of an earlier process, and drop damaged ones.
struct LogShelf: Sendable {
    /// One segment, and how much of it is whole.
    struct Segment: Sendable {
        let header: SegmentHeader
        let path: String
        /// Where it ends; as the next one's header has it while it is not proven.
        var head: LogMark
        var usedBytes: Int
        /// `nil` until it is proven: until then no record of it is used.
        var index: SegmentIndex?

        var name: SegmentName { header.name }
        var isProven: Bool { index != nil }
    }

    var log = LogID.none
    var epoch = Epoch.none
    /// Whether the beginning of that epoch is on the disk, and the stamp says so.
    var isBegun = false
    /// The longest lease in the stamp.
    var leaseMilliseconds: UInt32 = 0
    /// Contiguous, oldest first. The last is proven.
    var segments: [Segment] = []
    /// Segments that left because of damage, oldest first; their files are still there.
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

    /// The newest segment that is not proven yet.
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

    /// The names of the files to remove because of damage; each is returned once.
    mutating func takeCondemned() -> [SegmentName] {
        defer { condemned = [] }
        return condemned
    }
}

/// The counters of the log's thread for STATUS.
struct LogShelfFigures: Sendable {
    /// The newest record that is fsynced.
    var synchronized = SequenceNumber.none
    var synchronizations: UInt64 = 0
    /// How long the last one took.
    var lastSynchronization: Duration = .zero
    /// Segments that were found damaged after the start.
    var damaged: UInt64 = 0
}
