package import CacheModel

/// Judges a log on disk: may it go on where it ends, or does it begin a new epoch?
///
/// It does no I/O. Its owner reads what ``next`` names, hands it over, and at the end takes the
/// ``verdict``:
///
///     stamp, names ─▶ LogRecovery ── next: a header, or all of a segment ──▶ shell reads
///                        ▲  └─ verdict                                         │
///                        └────── readHeader(…), read(…) ◀──────────────────────┘
///
/// Only the segments of the greatest epoch are looked at: a new epoch is on disk before those of
/// older ones are removed. Every header says where the segment before it ends, so the headers are a
/// chain. Only the segments that decide where the log ends are read as a whole: the last one, the
/// one with the stamp's mark if that is another, and, unless the log was closed in order, the one
/// before the last. Any other segment is **sealed**: no record of it is used before a
/// ``SegmentProof`` has shown that its records lead from its base to its end. A segment that fails
/// the proof is no danger to the head: it is no longer kept.
///
/// A segment is fsynced as a whole before the next one begins, so only the last one may be torn. A
/// writer that failed half-way in a roll may have continued in the segment before it: records there
/// beyond the last segment's base were acknowledged, and are a breach.
package struct LogRecovery {
    /// The bytes that have to be read next.
    package enum Wanted: Hashable, Sendable {
        /// The first bytes of a segment.
        case header(SegmentName)
        /// All bytes of a segment.
        case everything(SegmentName)
    }

    /// One segment of a log that goes on.
    package struct Segment: Sendable {
        package let header: SegmentHeader
        /// Its end: proven, or as the next header has it.
        package internal(set) var head: LogMark
        /// The end of the proven bytes; where it is sealed, the size of the file.
        package internal(set) var usedBytes: Int
        /// `nil` where it is sealed.
        package internal(set) var index: SegmentIndex?
    }

    /// A log that may continue.
    package struct Whole: Sendable {
        package let log: LogID
        package let head: LogMark
        /// Never empty; the last is proven.
        package let segments: [Segment]
        /// Whether bytes behind the end of the last segment were never acknowledged and have to be
        /// cut off.
        package let isTorn: Bool
        /// Whether the process that wrote it ended in order.
        package let isClosed: Bool
    }

    package enum Verdict: Sendable {
        /// Nothing was ever written here.
        case empty
        case whole(Whole)
        case broken(LogBreach, greatestEpoch: Epoch)
    }

    private let stamp: LogStamp?
    private let names: [SegmentName]
    private let greatestEpoch: Epoch
    private var segments: [Segment] = []
    /// Which segments are still to be read as a whole, once all headers are known.
    private var toRead: [Int]?
    private var ending = SegmentScan.Ending.whole
    private var breach: LogBreach?
    private var digestAtStamp: LogDigest?

    /// - Parameters:
    ///   - stamp: the bytes of the stamp's file; `nil` where there is none.
    ///   - imprint: which file they were read from.
    ///   - names: of all segments.
    package init(stamp bytes: [UInt8]?, imprint: LogStamp.Imprint?, names: [SegmentName]) {
        let stamp = bytes.flatMap { $0.withUnsafeBytes { LogStamp($0) } }
        let greatest = names.map(\.base.epoch).max() ?? .none
        self.stamp = stamp
        self.names = names.filter { $0.base.epoch == greatest }.sorted()
        greatestEpoch = max(greatest, stamp?.mark.position.epoch ?? .none)
        breach = Self.breach(bytes: bytes, stamp, imprint, isEmpty: names.isEmpty)
    }

    private static func breach(
        bytes: [UInt8]?, _ stamp: LogStamp?, _ imprint: LogStamp.Imprint?, isEmpty: Bool
    ) -> LogBreach? {
        guard bytes != nil else { return isEmpty ? nil : .stampMissing }
        guard let stamp else { return .stampDamaged }
        guard stamp.imprint == imprint else { return .restored }
        return isEmpty && stamp.mark != .none ? .segmentsMissing : nil
    }

    /// The longest lease that a publisher of this log may have granted; `nil` if it is unknown. The
    /// stamp of a copy is of another time.
    package var leaseMilliseconds: UInt32? {
        breach == .restored ? nil : stamp?.leaseMilliseconds
    }

    /// What is to be read; `nil` when nothing more has to be.
    package var next: Wanted? {
        guard breach == nil else { return nil }
        if segments.count < names.count { return .header(names[segments.count]) }
        return toRead?.first.map { .everything(names[$0]) }
    }

    // MARK: Headers

    /// Takes the first bytes of the segment that ``next`` names.
    ///
    /// - Parameter fileBytes: how long its file is.
    package mutating func readHeader(_ bytes: UnsafeRawBufferPointer, fileBytes: Int) {
        guard case .header(let name) = next else {
            preconditionFailure("only the header that was asked for is read")
        }
        guard let header = SegmentHeader(bytes) else {
            breach = .headerDamaged(name)
            return
        }
        guard header.name == name, segments.last.map({ $0.header.log == header.log }) ?? true else {
            breach = .stranger(name)
            return
        }
        if let previous = segments.indices.last { segments[previous].head = header.base }
        if header.base.position == stamp?.mark.position { digestAtStamp = header.base.digest }
        segments.append(
            Segment(
                header: header, head: header.base,
                usedBytes: min(fileBytes, InvalidationLimits.segmentBytesMax), index: nil))
        if segments.count == names.count { toRead = whatDecides }
    }

    /// The segment in which the stamp's mark lies, unless a header says all of it, the one before
    /// the last, unless the log was closed in order and so ends at that mark, and the last.
    private var whatDecides: [Int] {
        let last = segments.count - 1
        var deciding: Set = [last]
        if let holder = holderOfStamp { deciding.insert(holder) }
        if last > 0, stamp?.isClosed != true { deciding.insert(last - 1) }
        return deciding.sorted()
    }

    /// The segment within which the stamp's mark lies.
    private var holderOfStamp: Int? {
        guard let mark = stamp?.mark.position,
            let holder = segments.lastIndex(where: { $0.header.base.position <= mark }),
            segments[holder].header.base.position < mark
        else { return nil }
        return holder
    }

    // MARK: Whole segments

    /// Takes all bytes of the segment that ``next`` names.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) {
        guard case .everything(let name) = next, let index = toRead?.removeFirst() else {
            preconditionFailure("only the segment that was asked for is read")
        }
        guard let scan = SegmentScan(bytes, seeking: stamp?.mark.position),
            scan.header == segments[index].header
        else {
            breach = .headerDamaged(name)
            return
        }
        breach = breach(of: index, scan)
        // A segment that was read for what lies beyond its end, and is damaged before that, stays
        // sealed.
        guard isLast(index) || scan.head == segments[index].head else { return }
        digestAtStamp = scan.digestSought ?? digestAtStamp
        ending = scan.ending
        segments[index].head = scan.head
        segments[index].usedBytes = scan.usedBytes
        segments[index].index = scan.index
    }

    private func isLast(_ index: Int) -> Bool { index == segments.count - 1 }

    private func breach(of index: Int, _ scan: SegmentScan) -> LogBreach? {
        guard !isLast(index) else {
            return scan.ending == .damaged ? .damaged(names[index], offset: scan.usedBytes) : nil
        }
        let (end, next) = (segments[index].head, names[index + 1])
        let isOverrun =
            end.position < scan.head.position || scan.head == end && scan.ending == .damaged
        if isOverrun { return .overrun(names[index], by: next) }
        guard index == holderOfStamp else { return nil }
        guard scan.ending == .whole else {
            return .damaged(names[index], offset: scan.usedBytes)
        }
        return scan.head == end ? nil : .gap(before: next)
    }

    // MARK: Verdict

    /// - Precondition: ``next`` is `nil`.
    package var verdict: Verdict {
        precondition(next == nil, "a log is judged once what decides was read")
        if let breach = breach ?? disagreement {
            return .broken(breach, greatestEpoch: greatestEpoch)
        }
        guard let last = segments.last else { return .empty }
        return .whole(
            Whole(
                log: last.header.log, head: last.head, segments: segments,
                isTorn: ending == .torn, isClosed: stamp?.isClosed ?? false))
    }

    /// How the records contradict the stamp.
    private var disagreement: LogBreach? {
        guard let stamp, stamp.mark != .none, let first = segments.first, let last = segments.last
        else { return nil }
        guard first.header.log == stamp.log else { return .stranger(first.header.name) }
        let (expected, found) = (stamp.mark.position, last.head.position)
        guard expected <= found else { return .cut(expected: expected, found: found) }
        if stamp.isClosed, expected < found { return .grown(expected: expected, found: found) }
        if stamp.isClosed, ending == .torn {
            return .damaged(last.header.name, offset: last.usedBytes)
        }
        // Retention may have removed the place, and a new epoch has left it behind.
        guard let digestAtStamp, digestAtStamp != stamp.mark.digest else { return nil }
        return .cut(expected: expected, found: found)
    }
}
