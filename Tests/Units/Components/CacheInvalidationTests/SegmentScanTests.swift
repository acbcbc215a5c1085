import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@Suite struct SegmentScanTests {
    private let base = Chain.start()

    @Test(arguments: [0, 1, 7, 8, 64, 5_000])
    func aWholeSegmentEndsInNothingOrInZeros(zeros: Int) throws {
        for count in 0...4 {
            let records = try Chain.records(count, after: base)
            let scan = try #require(
                SegmentSample.scan(SegmentSample.bytes(records, after: base, zeros: zeros)))
            #expect(scan.ending == .whole)
            #expect(scan.head == records.last?.mark ?? base)
            #expect(scan.usedBytes == SegmentSample.ends(records).last)
        }
    }

    /// A write that never finished: exactly the whole records are found, whatever its length.
    @Test func everyPrefixIsRecoveredToItsWholeRecords() throws {
        let records = try Chain.records(4, after: base)
        let ends = SegmentSample.ends(records)
        for settling in [SegmentSample.Settling.each, .asOne] {
            let bytes = SegmentSample.bytes(records, after: base, settling: settling)
            for count in 0...bytes.count {
                // The file's end may have moved before its bytes arrived.
                for zeros in [0, 512] {
                    let torn = Array(bytes[..<count]) + [UInt8](repeating: 0, count: zeros)
                    guard count >= SegmentHeader.bytes else {
                        if zeros == 0 { #expect(SegmentSample.scan(torn) == nil) }
                        continue
                    }
                    let scan = try #require(SegmentSample.scan(torn))
                    // Zeros that replace zeros have lost nothing.
                    let whole =
                        ends.lastIndex { $0 <= torn.count && torn[..<$0] == bytes[..<$0] } ?? 0
                    #expect(scan.head == (whole == 0 ? base : records[whole - 1].mark))
                    #expect(scan.usedBytes == ends[whole])
                    #expect(scan.ending != .damaged)
                    if ends.contains(count) { #expect(scan.ending == .whole) }
                }
            }
        }
    }

    /// The last frame may be the end of a write that never finished. Every other was synchronized
    /// before the next one was written, and that one says so.
    @Test func everyFlippedBitIsNoticed() throws {
        let records = try Chain.records(4, after: base)
        let ends = SegmentSample.ends(records)
        let bytes = SegmentSample.bytes(records, after: base, zeros: 64)
        for bit in 0..<(8 * bytes.count) {
            let scan = SegmentSample.scan(SegmentSample.flipped(bytes, bit: bit))
            guard bit / 8 >= SegmentHeader.bytes else {
                #expect(scan == nil)
                continue
            }
            let found = try #require(scan)
            let struck = ends.lastIndex { $0 <= bit / 8 } ?? 0
            #expect(found.usedBytes == ends[min(struck, 4)])
            #expect(found.ending == (struck < 3 ? .damaged : .torn), "bit \(bit)")
        }
    }

    /// Losing power, the pages of one write arrive in any order.
    @Test func aBatchOfWhichOnlyALaterPartArrivedIsTorn() throws {
        let first = try Chain.records(2, after: base)
        let batch = try Chain.records(3, after: first[1].mark)
        let ends = SegmentSample.ends(first + batch)
        var bytes = SegmentSample.bytes(first, after: base)
        let whole = SegmentSample.bytes(
            batch, after: first[1].mark, settling: .asOne)[SegmentHeader.bytes...]
        bytes += whole
        for missing in 2..<4 {
            var torn = bytes
            for place in ends[missing]..<ends[missing + 1] { torn[place] = 0 }
            let scan = try #require(SegmentSample.scan(torn))
            #expect(scan.ending == .torn)
            #expect(scan.usedBytes == ends[missing])
        }
    }

    @Test func aRecordInAnothersPlaceIsDamage() throws {
        let records = try Chain.records(5, after: base)
        let other = try Chain.records(5, after: base, salt: 7)
        let bytes = SegmentSample.bytes(records, after: base)
        let foreign = SegmentSample.bytes(other, after: base)
        let ends = SegmentSample.ends(records)
        for place in 0..<4 {
            let range = ends[place]..<ends[place + 1]
            let last = ends[4]..<ends[5]
            var swapped = bytes
            swapped.replaceSubrange(range, with: bytes[last])
            swapped.replaceSubrange(last, with: bytes[range])
            #expect(SegmentSample.scan(swapped)?.ending == .damaged)
            // The right number, of another chain: it passes, and its successor does not.
            var mixed = bytes
            mixed.replaceSubrange(range, with: foreign[range])
            let scan = try #require(SegmentSample.scan(mixed))
            #expect(scan.ending == .damaged)
            #expect(scan.usedBytes == ends[place == 0 ? 1 : place])
        }
    }

    @Test func aDigestIsFoundWhereItIsLookedFor() throws {
        let records = try Chain.records(3, after: base)
        let bytes = SegmentSample.bytes(records, after: base)
        #expect(SegmentSample.scan(bytes, seeking: base.position)?.digestSought == base.digest)
        for record in records {
            #expect(
                SegmentSample.scan(bytes, seeking: record.position)?.digestSought == record.digest)
        }
        #expect(SegmentSample.scan(bytes, seeking: .at(4))?.digestSought == nil)
        #expect(SegmentSample.scan(bytes, seeking: .at(2, epoch: 2))?.digestSought == nil)
    }

    // MARK: What clients have named

    /// A record after `mark` that names a key of these bytes.
    private func record(
        naming key: [UInt8], after mark: LogMark
    ) throws -> SealedRecord {
        let key = try #require(CacheKey(bytes: key))
        return try SealedRecord(
            sealing: InvalidationRecord(
                position: mark.position.next, previousDigest: mark.digest, operation: .none,
                strength: .hard, scopes: [Scope(.key(key, in: .default))]))
    }

    /// How a segment ends whose last record names a key that holds a forged frame, and was torn.
    private func endings(
        in form: FrameForm, forging forged: FrameForm
    ) throws -> Set<SegmentScan.Ending> {
        let whole = try Chain.records(2, after: base)
        let last = LogMark(position: .at(98), digest: LogDigest(1))
        var writer = ByteWriter()
        SegmentFrame.encode(
            try record(naming: [1], after: last), settled: last.position.sequence, in: forged,
            into: &writer)
        var endings: Set<SegmentScan.Ending> = []
        for padding in 0..<8 {
            let key =
                [UInt8](repeating: 1, count: padding) + writer.array
                + [UInt8](repeating: 2, count: 24)
            let torn = try record(naming: key, after: whole[1].mark)
            // So long that it could have the forged number.
            let bytes = SegmentSample.bytes(whole + [torn], after: base, in: form).dropLast(16)
            let scan = try #require(
                SegmentSample.scan(bytes + [UInt8](repeating: 0, count: 100 * 80)))
            #expect(scan.head == whole[1].mark)
            endings.insert(scan.ending)
        }
        return endings
    }

    /// A torn end stays one: what was never acknowledged must not cost everybody all they hold.
    @Test func whatARecordNamesIsTakenForNoFrame() throws {
        let guessed = FrameForm.salted(try #require(FileSalt(rawValue: 7)))
        for forged in [FrameForm.unsalted, guessed] {
            #expect(try endings(in: SegmentSample.salted, forging: forged) == [.torn])
        }
        // In format 1 it is, and could be; only a number that cannot be there is not.
        #expect(try endings(in: .unsalted, forging: .unsalted) == [.torn, .damaged])
    }

    /// Plausible lengths without end: each byte is checked twice at most.
    @Test(arguments: [FrameForm.unsalted, SegmentSample.salted])
    func theWorkOfAScanGrowsWithItsBytesAlone(form: FrameForm) throws {
        func tail(_ form: FrameForm) -> [UInt8] {
            var writer = ByteWriter()
            for _ in 0..<20_000 {
                writer.append(UInt32(7))
                writer.append(UInt32(InvalidationRecord.bytesMax))
                if let salt = form.salt { writer.append(salt.rawValue) }
                writer.append(UInt64(3))
                writer.append(UInt64(5))
                writer.append(UInt64(2))
            }
            return writer.array
        }
        let records = try Chain.records(1, after: base)
        let bytes = SegmentSample.bytes(records, after: base, in: form)
        let forged = bytes + tail(form)
        let scan = try #require(SegmentSample.scan(forged))
        #expect(scan.ending == .damaged && scan.checkedBytes <= 2 * forged.count)
        guard form != .unsalted else { return }
        let other = FrameForm.salted(try #require(FileSalt(rawValue: 7)))
        let strange = try #require(SegmentSample.scan(bytes + tail(other)))
        #expect(strange.ending == .torn)
        #expect(strange.checkedBytes == form.frameBytes(around: records[0].bytes.count))
    }
}
