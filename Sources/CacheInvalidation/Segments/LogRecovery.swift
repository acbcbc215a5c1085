package import CacheModel

/// Judges a log on disk: may it go on where it ends, or does it begin a new epoch?
///
/// It reads nothing itself. Its owner asks for the ``next`` segment, hands its bytes to
/// ``read(_:)``, and at the end asks for the ``verdict``:
///
///     stamp, names ─▶ LogRecovery ── next ──▶ shell reads the file
///                        ▲  └─ verdict            │
///                        └────── read(bytes) ◀────┘
///
/// Only the segments of the greatest epoch are read: a new epoch is on disk before those of older
/// ones are removed. A segment is synchronized as a whole before the next one begins, so only the
/// last one may be torn.
package struct LogRecovery {
    /// One segment that was proven whole up to ``usedBytes``.
    package struct Segment: Sendable {
        package let header: SegmentHeader
        package let head: LogMark
        package let usedBytes: Int
        package let index: SegmentIndex
    }

    /// A log that goes on.
    package struct Whole: Sendable {
        package let log: LogID
        package let head: LogMark
        /// Never empty.
        package let segments: [Segment]
        /// Whether something lies behind the end of the last segment that never was acknowledged
        /// and has to be cut off.
        package let isTorn: Bool
    }

    package enum Verdict: Sendable {
        /// Nothing was ever written here.
        case empty
        case whole(Whole)
        /// The log's name is known unless all that tells it is damaged.
        case broken(LogBreach, log: LogID?, greatestEpoch: Epoch)
    }

    private let stamp: LogStamp?
    private let names: [SegmentName]
    private let greatestEpoch: Epoch
    private var segments: [Segment] = []
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

    /// The longest lease that a publisher of this log may have granted; zero if nobody knows.
    package var leaseMilliseconds: UInt32 { stamp?.leaseMilliseconds ?? 0 }

    /// The segment to be read; `nil` when nothing more has to be.
    package var next: SegmentName? {
        guard breach == nil, segments.count < names.count else { return nil }
        return names[segments.count]
    }

    /// Here are all bytes of ``next``.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) {
        guard let name = next else {
            preconditionFailure("only the segment that was asked for is read")
        }
        guard let scan = SegmentScan(bytes, seeking: stamp?.mark.position) else {
            breach = .headerDamaged(name)
            return
        }
        breach = Self.breach(of: name, scan, after: segments.last, isLast: isLast)
        digestAtStamp = scan.digestSought ?? digestAtStamp
        ending = scan.ending
        segments.append(
            Segment(
                header: scan.header, head: scan.head, usedBytes: scan.usedBytes, index: scan.index))
    }

    private var isLast: Bool { segments.count == names.count - 1 }

    private static func breach(
        of name: SegmentName, _ scan: SegmentScan, after previous: Segment?, isLast: Bool
    ) -> LogBreach? {
        guard scan.header.name == name, previous.map({ $0.header.log == scan.header.log }) ?? true
        else { return .stranger(name) }
        guard previous.map({ $0.head == scan.header.base }) ?? true else {
            return .gap(before: name)
        }
        guard scan.ending == .whole || isLast && scan.ending == .torn else {
            return .damaged(name, offset: scan.usedBytes)
        }
        return nil
    }

    /// - Precondition: ``next`` is `nil`.
    package var verdict: Verdict {
        precondition(next == nil, "a log is judged once all of it was read")
        if let breach = breach ?? disagreement {
            let log = stamp?.log ?? segments.first?.header.log
            let known = log.flatMap { $0 == .none ? nil : $0 }
            return .broken(breach, log: known, greatestEpoch: greatestEpoch)
        }
        guard let last = segments.last else { return .empty }
        return .whole(
            Whole(
                log: last.header.log, head: last.head, segments: segments,
                isTorn: ending == .torn))
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
