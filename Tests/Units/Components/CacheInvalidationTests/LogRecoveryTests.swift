import ByteCoding
import CacheInvalidation
import CacheModel
import Testing

/// A log on disk, made up: what recovery says of it after something happened to it.
private struct FoundLog {
    var files: [SegmentName: [UInt8]] = [:]
    var stamp: [UInt8]?
    var imprint = LogStamp.Imprint(file: 3, birth: 4)

    init() {}

    /// Nine records in three segments.
    init(closed: Bool) throws {
        var base = Chain.start()
        for _ in 0..<3 {
            let records = try Chain.records(3, after: base)
            files[SegmentName(base: base.position)] = SegmentSample.bytes(records, after: base)
            base = records[2].mark
        }
        stamp = Self.stamp(closed ? base : Chain.start(), isClosed: closed)
    }

    static func stamp(_ mark: LogMark, isClosed: Bool = false) -> [UInt8] {
        var writer = ByteWriter()
        LogStamp(
            log: Chain.log, mark: mark, leaseMilliseconds: 3_000, isClosed: isClosed,
            imprint: .init(file: 3, birth: 4)
        ).encode(into: &writer)
        return writer.array
    }

    var names: [SegmentName] { files.keys.sorted() }

    func judged() -> LogRecovery.Verdict {
        var recovery = LogRecovery(
            stamp: stamp, imprint: stamp == nil ? nil : imprint,
            names: files.keys.sorted(by: >))
        while let wanted = recovery.next {
            switch wanted {
            case .header(let name):
                let bytes = files[name] ?? []
                bytes.prefix(SegmentHeader.bytes).withUnsafeBytes {
                    recovery.readHeader($0, fileBytes: bytes.count)
                }
            case .everything(let name):
                (files[name] ?? []).withUnsafeBytes { recovery.read($0) }
            }
        }
        return recovery.verdict
    }

    /// The sealed segments of a log that goes on which cannot be proven.
    var damagedLater: [SegmentName] {
        guard case .whole(let whole) = judged() else { return [] }
        return whole.segments.filter { segment in
            guard segment.index == nil else { return false }
            var proof = SegmentProof(of: segment.header, to: segment.head)
            let records = (files[segment.header.name] ?? []).dropFirst(SegmentHeader.bytes)
            records.withUnsafeBytes { proof.read($0, isRest: true) }
            return proof.standing != .proven
        }.map(\.header.name)
    }

    /// Why it is broken; `nil` if it is not.
    var breach: LogBreach? {
        if case .broken(let breach, let epoch) = judged() {
            #expect(epoch == Epoch(1))
            return breach
        }
        return nil
    }

    func whole() throws -> LogRecovery.Whole {
        guard case .whole(let whole) = judged() else {
            throw Unexpected(verdict: "\(judged())")
        }
        return whole
    }

    struct Unexpected: Error { let verdict: String }
}

@Suite struct LogRecoveryTests {
    @Test func whereNothingWasWrittenNothingIsFound() {
        for stamp in [nil, FoundLog.stamp(.none)] {
            var log = FoundLog()
            log.stamp = stamp
            guard case .empty = log.judged() else {
                Issue.record("an empty directory is no damage")
                return
            }
        }
    }

    @Test(arguments: [true, false])
    func aWholeLogGoesOnAcrossSegments(closed: Bool) throws {
        let log = try FoundLog(closed: closed)
        let whole = try log.whole()
        #expect(whole.head.position == .at(9) && whole.log == Chain.log && !whole.isTorn)
        #expect(whole.segments.map(\.header.name) == log.names)
        #expect(whole.segments.map(\.head.position) == [.at(3), .at(6), .at(9)])
        #expect(log.damagedLater == [])
    }

    /// A start reads what decides: the last segment, the one with the stamp's mark, and the one
    /// before the last if nobody has closed the log.
    @Test func onlyWhatDecidesIsRead() throws {
        let records = try Chain.records(9, after: Chain.start())
        // The mark at the border of two segments stands in a header.
        for (mark, proven) in [
            (0, [1, 2]), (2, [0, 1, 2]), (3, [1, 2]), (4, [1, 2]), (6, [1, 2]), (8, [1, 2]),
        ] {
            var log = try FoundLog(closed: false)
            log.stamp = FoundLog.stamp(mark == 0 ? Chain.start() : records[mark - 1].mark)
            let segments = try log.whole().segments
            #expect(segments.indices.filter { segments[$0].index != nil } == proven, "\(mark)")
        }
        let closed = try FoundLog(closed: true).whole().segments
        #expect(closed.indices.filter { closed[$0].index != nil } == [2])
    }

    /// A roll failed when the next segment had its name already, and the writer went on in the one
    /// before it: what it acknowledged there must not be forgotten silently.
    @Test(arguments: [0, 1])
    func recordsBeyondTheBeginningOfTheNextSegmentAreABreach(gap: Int) throws {
        var log = try FoundLog(closed: false)
        let (holder, next) = (log.names[1], log.names[2])
        let records = try Chain.records(7, after: Chain.start())
        log.files[holder] = SegmentSample.bytes(Array(records[3...]), after: records[2].mark)
        log.files[next] = SegmentSample.bytes([], after: records[5].mark)
        // What lies between may be damaged, too.
        if gap == 1 {
            let second = try Chain.records(2, after: records[5].mark)
            let ends = SegmentSample.ends(Array(records[3..<6]) + second)
            log.files[holder] = SegmentSample.bytes(
                Array(records[3..<6]) + second, after: records[2].mark)
            log.files[holder]?[ends[3] + 40] ^= 1
        }
        #expect(log.breach == .overrun(holder, by: next))
    }

    /// Damage before that is no danger to the end: nobody is told it.
    @Test func damageBeforeTheBeginningOfTheNextSegmentMovesTheTailAlone() throws {
        var log = try FoundLog(closed: false)
        let name = log.names[1]
        log.files[name]?[SegmentHeader.bytes + 40] ^= 1
        #expect(try log.whole().head.position == .at(9))
        #expect(log.damagedLater == [name])
    }

    @Test func theEndOfAWriteThatNeverFinishedIsCutOff() throws {
        var log = try FoundLog(closed: false)
        log.files[log.names[2]]?.removeLast(5)
        let whole = try log.whole()
        #expect(whole.isTorn && whole.head.position == .at(8))
    }

    @Test func aLogThatWasClosedIsNeverTorn() throws {
        var log = try FoundLog(closed: true)
        log.files[log.names[2]]?.removeLast(5)
        #expect(log.breach == .cut(expected: .at(9), found: .at(8)))
        log = try FoundLog(closed: true)
        log.files[log.names[2]]? += [1]
        let size = try FoundLog(closed: true).files[log.names[2]]?.count ?? 0
        #expect(log.breach == .damaged(log.names[2], offset: size))
    }

    /// What is missing before the last segment is no danger to where the log ends: nobody is told
    /// it, and what is told is the log's.
    @Test func aCutInTheMiddleIsFoundOnceItIsRead() throws {
        for index in 0..<2 {
            let whole = try FoundLog(closed: false)
            let name = whole.names[index]
            for count in SegmentHeader.bytes..<(whole.files[name]?.count ?? 0) {
                var log = whole
                log.files[name] = whole.files[name].map { Array($0[..<count]) }
                #expect(try log.whole().head.position == .at(9))
                #expect(log.damagedLater == [name])
            }
        }
    }

    @Test func aCutWhereTheStampPointsIsNoticed() throws {
        let records = try Chain.records(9, after: Chain.start())
        var log = try FoundLog(closed: false)
        log.stamp = FoundLog.stamp(records[4].mark)
        let name = log.names[1]
        log.files[name]?.removeLast(5)
        let end = SegmentSample.ends(Array(records[3..<5])).last ?? 0
        #expect(log.breach == .damaged(name, offset: end))
        // At the border of a record nothing is torn, and the next segment misses something.
        log.files[name] = log.files[name].map { Array($0[..<end]) }
        #expect(log.breach == .gap(before: log.names[2]))
    }

    /// Two that the file system calls as long as it can are counted together all the same.
    @Test func aSegmentIsNoLongerThanOneCanBe() throws {
        let log = try FoundLog(closed: true)
        var recovery = LogRecovery(stamp: log.stamp, imprint: log.imprint, names: log.names)
        while case .header(let name) = recovery.next {
            (log.files[name] ?? []).prefix(SegmentHeader.bytes).withUnsafeBytes {
                recovery.readHeader($0, fileBytes: .max)
            }
        }
        (log.files[log.names[2]] ?? []).withUnsafeBytes { recovery.read($0) }
        guard case .whole(let whole) = recovery.verdict else {
            Issue.record("\(recovery.verdict)")
            return
        }
        let segments = whole.segments.map {
            LogRetention.Segment(
                base: $0.header.base.position.sequence, usedBytes: $0.usedBytes, createdAt: 0)
        }
        let retention = LogRetention(recordsMax: 1_000, bytesMax: 1_000)
        #expect(retention.leaving(segments, head: whole.head.position.sequence, now: 0) < 3)
    }

    @Test func aLostSegmentIsNoticed() throws {
        let closed = try FoundLog(closed: true)
        var log = closed
        log.files[closed.names[1]] = nil
        #expect(log.damagedLater == [closed.names[0]])
        log = closed
        log.files[closed.names[2]] = nil
        #expect(log.breach == .cut(expected: .at(9), found: .at(6)))
        log.files = [:]
        #expect(log.breach == .segmentsMissing)
        // The oldest ones leave by themselves.
        log = closed
        log.files[closed.names[0]] = nil
        #expect(try log.whole().segments.count == 2)
    }

    @Test func swappedSegmentsAreNoticed() throws {
        var log = try FoundLog(closed: false)
        let names = log.names
        (log.files[names[1]], log.files[names[2]]) = (log.files[names[2]], log.files[names[1]])
        #expect(log.breach == .stranger(names[1]))
        // One of another chain with the right name and the right numbers.
        log = try FoundLog(closed: false)
        let other = try Chain.records(3, after: Chain.start(), salt: 9)
        log.files[names[1]] = SegmentSample.bytes(
            try Chain.records(3, after: other[2].mark), after: other[2].mark)
        #expect(log.damagedLater == [names[0], names[1]])
        log.stamp = FoundLog.stamp(
            LogMark(position: .at(3), digest: try Chain.records(3, after: Chain.start())[2].digest))
        #expect(log.breach == .cut(expected: .at(3), found: .at(9)))
    }

    /// Either at once, or before the first record of the segment is seen.
    @Test func everyFlippedBitOfAClosedLogIsNoticed() throws {
        let whole = try FoundLog(closed: true)
        for name in whole.names {
            for bit in 0..<(8 * (whole.files[name]?.count ?? 0)) {
                var log = whole
                log.files[name] = whole.files[name].map { SegmentSample.flipped($0, bit: bit) }
                let isNoticedAtOnce = log.breach != nil
                #expect(isNoticedAtOnce || log.damagedLater == [name], "\(name) bit \(bit)")
                // Where the log ends is decided at once.
                if name == whole.names[2] { #expect(isNoticedAtOnce, "bit \(bit)") }
            }
        }
        for bit in 0..<(8 * LogStamp.bytes) {
            var log = whole
            log.stamp = whole.stamp.map { SegmentSample.flipped($0, bit: bit) }
            guard case .broken(.stampDamaged, Epoch(1)) = log.judged() else {
                Issue.record("stamp bit \(bit)")
                return
            }
        }
    }

    @Test func aCopyIsNoticed() throws {
        var log = try FoundLog(closed: true)
        log.imprint = .init(file: 5, birth: 6)
        #expect(log.breach == .restored)
        log.imprint = .init(file: 3, birth: 6)
        #expect(log.breach == .restored)
    }

    /// What a copy says of leases is of another time.
    @Test func whatWasGrantedIsKnownFromTheStampOfThisLogAlone() throws {
        func lease(_ log: FoundLog) -> UInt32? {
            LogRecovery(
                stamp: log.stamp, imprint: log.stamp == nil ? nil : log.imprint, names: log.names
            ).leaseMilliseconds
        }
        var log = try FoundLog(closed: true)
        #expect(lease(log) == 3_000)
        log.imprint = .init(file: 5, birth: 6)
        #expect(lease(log) == nil)
        log.stamp?[50] ^= 1
        #expect(lease(log) == nil)
        log.stamp = nil
        #expect(lease(log) == nil && lease(FoundLog()) == nil)
    }

    @Test func aMissingStampIsNoticed() throws {
        var log = try FoundLog(closed: true)
        log.stamp = nil
        guard case .broken(.stampMissing, Epoch(1)) = log.judged() else {
            Issue.record("segments alone prove nothing")
            return
        }
    }

    @Test func aLogOlderThanItsStampIsNoticed() throws {
        var log = try FoundLog(closed: false)
        let records = try Chain.records(12, after: Chain.start())
        log.stamp = FoundLog.stamp(records[11].mark)
        #expect(log.breach == .cut(expected: .at(12), found: .at(9)))
        // The number is there, another record bears it.
        var mark = records[4].mark
        mark.digest = LogDigest(1)
        log.stamp = FoundLog.stamp(mark)
        #expect(log.breach == .cut(expected: .at(5), found: .at(9)))
        log.stamp = FoundLog.stamp(records[4].mark, isClosed: true)
        #expect(log.breach == .grown(expected: .at(5), found: .at(9)))
    }

    /// A crash between the first segment of an epoch and the removal of the old ones.
    @Test func onlyTheGreatestEpochCounts() throws {
        var log = try FoundLog(closed: false)
        let start = Chain.start(epoch: 4)
        log.files[SegmentName(base: start.position)] = SegmentSample.bytes([], after: start)
        let whole = try log.whole()
        #expect(whole.head == start && whole.segments.count == 1)
        // Not if the stamp had got further than that.
        log.stamp = FoundLog.stamp(
            LogMark(position: .at(0, epoch: 5), digest: LogDigest(startOf: Chain.log)))
        guard case .broken(.cut, Epoch(5)) = log.judged() else {
            Issue.record("a later epoch was lost")
            return
        }
    }

    @Test func aHeaderOfAnotherLogIsNoticed() throws {
        var log = try FoundLog(closed: false)
        var writer = ByteWriter()
        let name = log.names[1]
        SegmentHeader(
            log: LogID(0xBAD), base: LogMark(position: name.base, digest: LogDigest(1)),
            createdAt: 0, form: SegmentSample.salted
        ).encode(into: &writer)
        log.files[name]?.replaceSubrange(..<SegmentHeader.bytes, with: writer.array)
        #expect(log.breach == .stranger(name))
        log.files[name] = []
        #expect(log.breach == .headerDamaged(name))
    }
}
