import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

/// Each decoder alone, over bytes of any length: by chance, and mutated with the checksum made
/// right. What is taken keeps to its bounds.
///
///     MARTLET_TRIES=1000000 swift test --filter DecoderFuzzTests
@Suite struct DecoderFuzzTests {
    private static let seal = DiskBench.superblock(TierFuzzing.geometry).seal
    private static let geometry = TierFuzzing.geometry
    private static var tries: Int { TierFuzzing.number("MARTLET_TRIES") ?? 4_000 }

    /// Bytes that begin as those of a kind do, or as nothing does.
    private static func bytes(
        beginning magic: String, upTo count: Int, _ dice: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = (0..<dice.below(count + 1)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        if dice.below(4) > 0, bytes.count >= 8 { bytes.replaceSubrange(0..<8, with: magic.utf8) }
        return bytes
    }

    /// - Parameters:
    ///   - offset: where the checksum lies, and the bytes after it that it is of.
    private static func seal(
        _ bytes: inout [UInt8], _ body: Range<Int>, as number: Int, at offset: Int = 8
    ) {
        guard body.upperBound <= bytes.count else { return }
        let sum = bytes[body].withUnsafeBytes { seal.checksum($0, in: .none, at: number) }
        for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
    }

    @Test func noBytesByChanceAreASuperblockThatCannotBe() throws {
        var dice = SeededGenerator(seed: 1)
        var taken = 0
        for _ in 0..<Self.tries {
            var bytes = DiskBench.superblock().encoded
            for _ in 0...dice.below(3) {
                bytes[12 + dice.below(100)] = [0, 1, 16, 64, 255][dice.below(5)]
            }
            let sum = bytes[12...].withUnsafeBytes { CRC32C.checksum($0) }
            for byte in 0..<4 { bytes[8 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
            if dice.below(8) == 0 { bytes.removeLast(dice.below(bytes.count)) }
            guard case .success(let block) = Superblock.decoding(bytes) else { continue }
            taken += 1
            let again = try Superblock.decoding(block.encoded).get()
            #expect(block.shard < block.shardCount && again == block)
            let total = block.geometry.segmentBytes * block.geometry.segmentCount
            #expect(total <= DiskLimits.segmentBytesAllMax && block.geometry.segmentCount > 2)
            let clock = TierClock(
                continuing: block, boot: BootID(high: 9, low: 9),
                now: Instant(nanoseconds: dice.next()), calendar: dice.next())
            #expect(clock.time(at: Instant(nanoseconds: dice.next())) <= .max)
        }
        #expect(taken > Self.tries / 20, "\(taken)")
    }

    @Test func noBytesByChanceAreAStateThatCannotBe() {
        var dice = SeededGenerator(seed: 2)
        var taken = 0
        for _ in 0..<Self.tries {
            var bytes = [UInt8](repeating: 0, count: TailState.bytes)
            bytes.withUnsafeMutableBytes { TailState().encode(into: $0, Self.seal) }
            for _ in 0...dice.below(4) {
                let values = [0, 1, 2, 5, 255, UInt8(dice.below(256))]
                bytes[12 + dice.below(60)] = values[dice.below(values.count)]
            }
            Self.seal(&bytes, 12..<TailState.bytes, as: 1)
            let state = bytes.withUnsafeBytes { TailState($0, Self.seal, Self.geometry) }
            guard let state else { continue }
            taken += 1
            let count = state.newest.next.rawValue - state.oldest.rawValue
            #expect(state.oldest > .none && count <= UInt64(Self.geometry.segmentCount))
            #expect(state.counter < DiskLimits.numberEnd)
            #expect(state.applied.position.sequence < SequenceNumber.max)
        }
        #expect(taken > Self.tries / 20, "\(taken)")
    }

    @Test func noBytesByChanceAreASlotThatCannotBe() {
        var dice = SeededGenerator(seed: 3)
        var taken = 0
        for _ in 0..<Self.tries / 20 {
            var tail = [UInt8](repeating: 0, count: Self.geometry.tailBytes)
            let slotBytes = Tail.slotBytes(tail: tail.count)
            for number in 0..<Tail.slotCount {
                let from = DiskLimits.pageBytes + number * slotBytes
                var slot = Self.bytes(beginning: "MARTDSL1", upTo: slotBytes, &dice)
                if slot.count >= 32 {
                    for byte in [14, 15, 17, 18, 19, 20, 21, 22, 23] { slot[byte] = 0 }
                    slot[12] &= 0xF8
                }
                Self.seal(&slot, 12..<24, as: 2)
                tail.replaceSubrange(from..<from + slot.count, with: slot)
            }
            let runs = tail.withUnsafeBytes { Tail.runs($0, Self.seal, Self.geometry) }
            #expect(runs.found.count + runs.damagedCount <= Tail.slotCount)
            taken += runs.found.count
            for run in runs.found {
                let end = run.start + run.bytes.count
                #expect(run.start >= DiskSegmentHeader.bytes && end <= Self.geometry.segmentBytes)
                #expect(run.start % 8 == 0 && run.end >= end)
            }
        }
        #expect(taken > Self.tries / 20, "\(taken)")
    }

    @Test func randomBytesNeverDecodeToAnImpossibleHeaderOrCheckpoint() {
        var dice = SeededGenerator(seed: 4)
        var (headers, checkpoints) = (0, 0)
        for _ in 0..<Self.tries {
            var header = Self.bytes(beginning: "MARTDSG1", upTo: 80, &dice)
            if header.count >= 32, dice.below(2) == 0 { header[23] = 0 }
            if header.count >= 32 { (header[30], header[31]) = (0, 0) }
            Self.seal(&header, 12..<DiskSegmentHeader.bytes, as: 0)
            if let found = header.withUnsafeBytes({ DiskSegmentHeader($0, Self.seal) }) {
                headers += 1
                #expect(found.number > .none && found.number.rawValue < DiskLimits.numberEnd)
            }
            var place = Self.bytes(beginning: "MARTDCP1", upTo: 300, &dice)
            if place.count >= Checkpoint.headBytes {
                let floors = dice.below(place.count - Checkpoint.headBytes + 1)
                place.replaceSubrange(
                    12..<16, with: [UInt8(floors & 255), UInt8(floors >> 8), 0, 0])
                if dice.below(2) == 0 { place[23] = 0 }
                if dice.below(2) == 0 { (place[38], place[39]) = (0, 0) }
                Self.seal(&place, 12..<Checkpoint.headBytes + floors, as: 3)
            }
            guard let found = Checkpoint(place, Self.seal) else { continue }
            checkpoints += 1
            #expect(found.mark.position.sequence < SequenceNumber.max)
            #expect(found.counter < DiskLimits.numberEnd && found.floors.count <= place.count)
        }
        #expect(headers > 100 && checkpoints > 100, "\(headers), \(checkpoints)")
    }

    @Test func noBytesByChanceAreAFooterThatCannotBe() {
        var dice = SeededGenerator(seed: 5)
        var taken = 0
        let (number, segmentBytes) = (SegmentNumber(3), 1_024)
        for _ in 0..<Self.tries {
            var footer = SegmentFooter()
            for _ in 0..<dice.below(20) {
                footer.append(
                    SegmentFooter.Entry(
                        fingerprint: Fingerprint(hash: dice.next()),
                        kind: [.entry, .tombstone, .reset, .part, .divided][dice.below(5)],
                        lengthClass: LengthClass(bytes: 1 + dice.below(1 << 20)),
                        offset: dice.below(2) == 0 ? 32 + dice.below(80) * 8 : dice.below(1 << 32)))
            }
            let bytes = footer.encoded(
                number, end: dice.below(dice.below(2) == 0 ? 900 : 1 << 32), seal: Self.seal)
            let cut = bytes.suffix(dice.below(4) == 0 ? dice.below(bytes.count) : bytes.count)
            cut.withUnsafeBytes { bytes in
                let end = SegmentFooter.end(
                    bytes, number, seal: Self.seal, segmentBytes: segmentBytes)
                guard let end else { return }
                #expect(end >= DiskSegmentHeader.bytes && end + bytes.count <= segmentBytes)
                for index in 0..<(bytes.count - 32) / SegmentFooter.entryBytes {
                    guard let entry = SegmentFooter.entry(bytes, index) else { continue }
                    taken += 1
                    #expect(entry.offset >= 32 && entry.offset + 16 <= end)
                    #expect(entry.offset % 8 == 0)
                }
            }
        }
        #expect(taken > Self.tries / 20, "\(taken)")
    }

    /// Heads of any content over bytes of any length: no byte outside of them is read.
    @Test func noBytesByChanceAreARecordThatCannotBe() {
        var dice = SeededGenerator(seed: 6)
        var (taken, asked) = (0, 0)
        let reading = RecordReading(seal: Self.seal, segment: SegmentNumber(1))
        for _ in 0..<Self.tries {
            var bytes = (0..<dice.below(260)).map { _ in UInt8(dice.below(256)) }
            if bytes.count > 10, dice.below(8) > 0 {
                bytes.replaceSubrange(
                    4..<9, with: [UInt8(dice.below(80)), 0, 0, 8 << UInt8(dice.below(2)), 7])
                bytes[9] &= 0xF0
            }
            // What it is asked for once more is what it has: that ends.
            let limit = dice.below(400)
            if case .short(let more) = bytes.withUnsafeBytes({
                RecordReading.look($0, limit: limit)
            }) {
                asked += 1
                #expect(more <= max(limit, 16))
            }
            let look = bytes.withUnsafeBytes { RecordReading.look($0, limit: $0.count) }
            guard case .whole(let length) = look else { continue }
            #expect(length <= bytes.count)
            let sum = bytes[4..<length].withUnsafeBytes {
                Self.seal.checksum($0, in: SegmentNumber(1), at: 32)
            }
            for byte in 0..<4 { bytes[byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
            bytes.withUnsafeBytes { bytes in
                guard let proven = reading.record(bytes, at: 32) else { return }
                #expect(proven.bytes == length)
                taken += 1
                if case .entry(let entry, _) = proven { #expect(entry.isInRange) }
            }
        }
        #expect(taken > Self.tries / 50 && asked > Self.tries / 50, "\(taken), \(asked)")
    }

    /// Floors that a checkpoint proves, and nobody can have written.
    @Test func noBytesByChanceAreFloorsThatCannotBe() {
        var dice = SeededGenerator(seed: 7)
        let whole = TierFuzzing.checkpoint.floors
        let bytesMax = 4_096 - Checkpoint.headBytes
        var taken = 0
        for _ in 0..<Self.tries {
            var bytes = whole
            for _ in 0...dice.below(3) {
                let from = 12 + dice.below(bytes.count - 20)
                let value = [0, 1, .max, 1 << 31, 1 << 63, dice.next()][dice.below(6)]
                for byte in 0..<[1, 2, 4, 8][dice.below(4)] {
                    bytes[from + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))
                }
            }
            if dice.below(6) == 0 { bytes.removeLast(dice.below(bytes.count)) }
            guard let read = LastingFloors(decoding: bytes, seed: 0xABCD, bytesMax: bytesMax)
            else { continue }
            taken += 1
            let encoded = read.encoded()
            #expect(encoded == bytes && read.highest <= SequenceNumber.max.rawValue)
        }
        #expect(taken > Self.tries / 50, "\(taken)")
    }
}
