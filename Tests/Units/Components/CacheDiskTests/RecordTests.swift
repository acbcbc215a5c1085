import CacheModel
import Testing

@testable import CacheDisk

@Suite struct RecordTests {
    private static let seal = RecordSeal(tier: 0x1122_3344_5566_7788)
    private static let segment = SegmentNumber(5)

    /// An entry with everything, and its record at offset 64.
    private static func record(
        tags: [String] = ["news", "a"], validator: String = "\"e\"", representation: [UInt8] = []
    ) -> [UInt8] {
        var buffers = [
            Array("the key".utf8), Array("the value".utf8), Array("images".utf8),
            Array(validator.utf8), representation,
        ]
        buffers += tags.map { Array($0.utf8) }
        return lend(buffers) { lent in
            var entry = DiskEntry(key: lent[0], value: lent[1])
            entry.namespace = lent[2]
            entry.validator = lent[3]
            entry.representation = lent[4]
            entry.tags = Array(lent[5...])
            entry.version = 0x0102_0304_0506_0708
            entry.expires = TierTime(milliseconds: 0xA0_0000_0001)
            entry.fill = 0xB0_0000_0002
            entry.stored = TierTime(milliseconds: 0xC0_0000_0003)
            entry.softSince = TierTime(milliseconds: 0xD0_0000_0004)
            entry.isUnfenced = true
            var bytes = [UInt8](repeating: 0xEE, count: entry.recordBytes)
            bytes.withUnsafeMutableBytes {
                RecordWriting(seal: seal, segment: segment).write(
                    entry, as: .entry, into: $0, at: 64)
            }
            return bytes
        }
    }

    private static func lend<Result>(
        _ buffers: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) -> Result
    ) -> Result {
        func next(_ index: Int, _ lent: [UnsafeRawBufferPointer]) -> Result {
            guard index < buffers.count else { return body(lent) }
            return buffers[index].withUnsafeBytes { next(index + 1, lent + [$0]) }
        }
        return next(0, [])
    }

    private static func read(
        _ bytes: [UInt8], segment: SegmentNumber = segment, at offset: Int = 64
    ) -> RecordReading.Proven? {
        bytes.withUnsafeBytes {
            RecordReading(seal: seal, segment: segment).record($0, at: offset)
        }
    }

    /// The format does not change by accident: the bytes are docs/disk-format.md's.
    @Test func theBytesOfARecordAreThoseOfTheFormat() {
        let bytes = Self.record()
        var expected: [UInt8] = [9, 0, 0, 0xC8, 6, 0xF0]
        expected += [1, 0, 0, 0, 0xA0, 0, 2, 0, 0, 0, 0xB0, 0, 3, 0, 0, 0, 0xC0, 0]
        expected += Array("the key".utf8)
        expected += [6] + Array("images".utf8) + [8, 7, 6, 5, 4, 3, 2, 1]
        expected += [2, 4] + Array("news".utf8) + [1] + Array("a".utf8)
        expected += [3] + Array("\"e\"".utf8) + [4, 0, 0, 0, 0xD0, 0] + Array("the value".utf8)
        #expect(Array(bytes[4..<4 + expected.count]) == expected)
        #expect(bytes.count % 8 == 0 && bytes[(4 + expected.count)...].allSatisfy { $0 == 0 })
    }

    private static let png = Representation(contentType: RepresentationField("image/png"))

    /// Bit 7 of the tag count, and type, encoding and language behind the tags.
    @Test func aRepresentationStandsBehindTheTags() throws {
        for tags in [[], ["news", "a"]] {
            let bytes = Self.record(tags: tags, representation: Self.png.stored)
            let plain = Self.record(tags: tags)
            var section = [UInt8(tags.count) | 0x80]
            for tag in tags { section += [UInt8(tag.utf8.count)] + Array(tag.utf8) }
            section += [9] + Array("image/png".utf8) + [0, 0]
            let start = 28 + 7 + 7 + 8
            #expect(Array(bytes[start..<start + section.count]) == section)
            #expect(bytes.count >= plain.count + 8 && bytes.count <= plain.count + 24)
            guard case .entry(let entry, bytes.count)? = Self.read(bytes + [1, 2, 3]) else {
                Issue.record("it is an entry")
                continue
            }
            #expect(entry.tags.count == tags.count)
        }
    }

    /// A right checksum does not make it one: a header must not be split.
    @Test func whatIsNoRepresentationIsNoRecord() {
        for section in [[0, 0, 0], [3, 97, 10, 98, 0, 0], [1, 32, 0, 0]] as [[UInt8]] {
            #expect(Self.read(Self.record(representation: section)) == nil, "\(section)")
        }
        // A mark, and the ETag's section in its place.
        #expect(Self.read(Self.record(representation: [200])) == nil)
    }

    @Test func aRecordIsReadWhateverStandsBehindIt() throws {
        let bytes = Self.record()
        let proven = try #require(Self.read(bytes + [1, 2, 3, 4, 5, 6, 7, 8, 9]))
        #expect(proven.bytes == bytes.count)
        guard case .entry? = Self.read(bytes) else {
            Issue.record("it is an entry")
            return
        }
    }

    @Test func everyCutRecordIsNone() {
        let shapes = [
            (["news", "a"], "\"e\"", []), ([], "", []), (["x"], "", []),
            (["x"], "\"e\"", Self.png.stored), ([], "", Self.png.stored),
        ]
        for (tags, validator, representation) in shapes {
            let bytes = Self.record(
                tags: tags, validator: validator, representation: representation)
            for count in 0..<bytes.count {
                let cut = Self.read(Array(bytes.prefix(count)))
                #expect(cut == nil, "\(count) of \(bytes.count)")
            }
        }
    }

    @Test(arguments: [[], Self.png.stored])
    func everyFlippedBitIsNoticed(representation: [UInt8]) {
        let bytes = Self.record(representation: representation)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= UInt8(1 << (bit % 8))
            let read = Self.read(damaged + [UInt8](repeating: 0, count: 1_200))
            #expect(read == nil, "bit \(bit)")
        }
    }

    @Test func bytesOfAnotherPlaceProveNothing() {
        let bytes = Self.record()
        let (moved, older) = (
            Self.read(bytes, at: 72), Self.read(bytes, segment: SegmentNumber(4))
        )
        #expect(moved == nil && older == nil)
    }

    @Test func tombstonesAndResetsAreSixteenBytes() {
        let writing = RecordWriting(seal: Self.seal, segment: Self.segment)
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.withUnsafeMutableBytes { writing.write(.tombstone, 0xA_BCDE_F012, into: $0, at: 64) }
        guard case .tombstone(let fingerprint)? = Self.read(bytes) else {
            Issue.record("it is a tombstone")
            return
        }
        #expect(fingerprint.rawValue == 0xA_BCDE_F012)
        bytes.withUnsafeMutableBytes { writing.write(.tombstone, 1 << 36, into: $0, at: 64) }
        let tooWide = Self.read(bytes)
        #expect(tooWide == nil)
        bytes.withUnsafeMutableBytes { writing.write(.reset, 0, into: $0, at: 64) }
        guard case .reset? = Self.read(bytes) else {
            Issue.record("it is a reset")
            return
        }
    }
}

@Suite struct SegmentFooterTests {
    private static let seal = RecordSeal(tier: 9)

    private static func footer(_ count: Int) -> [UInt8] {
        var footer = SegmentFooter()
        for number in 0..<count {
            footer.append(
                SegmentFooter.Entry(
                    fingerprint: Fingerprint(rawValue: UInt64(number) * 1_000_003),
                    kind: number % 3 == 0 ? .tombstone : .entry,
                    lengthClass: LengthClass(bytes: 16 + number * 40), offset: 32 + number * 64))
        }
        return footer.encoded(SegmentNumber(3), end: 2_000, seal: seal)
    }

    private static func end(_ bytes: UnsafeRawBufferPointer) -> Int? {
        SegmentFooter.end(bytes, SegmentNumber(3), seal: seal, segmentBytes: 4_096)
    }

    @Test func whatIsWrittenIsRead() throws {
        let bytes = Self.footer(20)
        try bytes.withUnsafeBytes { bytes in
            let block = UnsafeRawBufferPointer(
                rebasing: bytes[(bytes.count - SegmentFooter.lastBlockBytes)...])
            #expect(SegmentFooter.count(block, SegmentNumber(3), segmentBytes: 4_096) == 20)
            #expect(SegmentFooter.count(block, SegmentNumber(4), segmentBytes: 4_096) == nil)
            #expect(SegmentFooter.count(block, SegmentNumber(3), segmentBytes: 200) == nil)
            #expect(Self.end(bytes) == 2_000)
            let entry = try #require(SegmentFooter.entry(bytes, 7))
            #expect(entry.fingerprint.rawValue == 7 * 1_000_003 && entry.kind == .entry)
            #expect(entry.offset == 32 + 7 * 64 && entry.lengthClass == LengthClass(bytes: 296))
        }
    }

    @Test func everyFlippedBitIsNoticed() {
        let bytes = Self.footer(4)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= UInt8(1 << (bit % 8))
            let (count, end) = damaged.withUnsafeBytes { damaged in
                let block = UnsafeRawBufferPointer(
                    rebasing: damaged[(damaged.count - SegmentFooter.lastBlockBytes)...])
                return (
                    SegmentFooter.count(block, SegmentNumber(3), segmentBytes: 4_096),
                    Self.end(damaged)
                )
            }
            #expect(count != 4 || end == nil, "bit \(bit)")
        }
    }
}

@Suite struct SuperblockTests {
    @Test func whatIsWrittenIsRead() throws {
        var block = DiskBench.superblock()
        block.machine.birth = 99
        block.clockBase = -5
        block.closed = TierTime(milliseconds: 12)
        #expect(block.encoded.count == Superblock.bytes)
        let read = try Superblock.decoding(block.encoded).get()
        #expect(read == block)
    }

    @Test func theFormerFormatIsReadAndWrittenAnewInThisOne() throws {
        let block = DiskBench.superblock()
        var bytes = block.encoded
        #expect(bytes[7] == UInt8(ascii: "4"))
        bytes[7] = UInt8(ascii: "3")
        var read = try Superblock.decoding(bytes).get()
        #expect(read.foundFormat == UInt8(ascii: "3") && read.encoded == block.encoded)
        read.foundFormat = Superblock.format
        #expect(read == block)
        bytes[7] = UInt8(ascii: "2")
        guard case .failure(.otherFormat(0x32)) = Superblock.decoding(bytes) else {
            Issue.record("format 2 has other records")
            return
        }
    }

    @Test func everyFlippedBitIsNoticedAndOtherFormatsAreNamed() {
        let bytes = DiskBench.superblock().encoded
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= UInt8(1 << (bit % 8))
            guard case .failure(let damage) = Superblock.decoding(damaged) else {
                Issue.record("bit \(bit) was not noticed")
                continue
            }
            #expect(damage == (bit / 8 == 7 ? .otherFormat(damaged[7]) : .damaged))
        }
        for count in 0..<bytes.count {
            guard case .failure(.empty) = Superblock.decoding(Array(bytes.prefix(count))) else {
                Issue.record("\(count) bytes are too few")
                continue
            }
        }
    }
}

@Suite struct CheckpointTests {
    @Test func everyFlippedBitAndEveryCutIsNoticed() throws {
        let seal = RecordSeal(tier: 4)
        let bytes = DiskBench.checkpoint.encoded(seal)
        let read = try #require(Checkpoint(bytes + [0, 0, 0], seal))
        #expect(read == DiskBench.checkpoint)
        #expect(Checkpoint(bytes, RecordSeal(tier: 5)) == nil)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= UInt8(1 << (bit % 8))
            #expect(Checkpoint(damaged, seal) == nil, "bit \(bit)")
        }
        for count in 0..<bytes.count {
            #expect(Checkpoint(Array(bytes.prefix(count)), seal) == nil)
        }
    }
}
