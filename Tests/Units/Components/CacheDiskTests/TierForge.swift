import ByteCoding
import CacheModel
import TestSupport

@testable import CacheDisk

/// Changes what a tier's file says and makes the checksums right again: a file that proves itself
/// and says what cannot be.
struct TierForge {
    /// Something in the file that has a checksum.
    enum Piece {
        case superblock, checkpoint, state, slot, header
        case footer(SegmentNumber)
        case record(SegmentNumber, offset: Int)
    }

    /// Where each of them lies in the file.
    struct Place {
        var piece: Piece
        var range: Range<Int>
    }

    let geometry: DiskGeometry
    let seal: RecordSeal
    private(set) var image: [UInt8]
    private(set) var places: [Place] = []

    init(_ image: [UInt8], _ superblock: Superblock) {
        self.image = image
        geometry = superblock.geometry
        seal = superblock.seal
        find()
    }

    // MARK: Finding

    private mutating func find() {
        places.append(Place(piece: .superblock, range: 0..<Superblock.bytes))
        for number in 0..<2 {
            let from = geometry.checkpointOffset(number)
            let place = Array(image[from..<from + geometry.checkpointBytes])
            guard let found = Checkpoint(place, seal) else { continue }
            let bytes = Checkpoint.headBytes + found.floors.count
            places.append(Place(piece: .checkpoint, range: from..<from + bytes))
        }
        findTail()
        for ring in 0..<geometry.segmentCount {
            let from = geometry.segmentsOffset + ring * geometry.segmentBytes
            let header = image[from..<from + DiskSegmentHeader.bytes].withUnsafeBytes {
                DiskSegmentHeader($0, seal)
            }
            guard let header else { continue }
            places.append(Place(piece: .header, range: from..<from + DiskSegmentHeader.bytes))
            findFooter(header.number, at: from)
            let records = from + DiskSegmentHeader.bytes..<from + geometry.segmentBytes
            findRecords(header.number, records, at: DiskSegmentHeader.bytes)
        }
    }

    private mutating func findTail() {
        for offset in TailState.copyOffsets {
            let from = geometry.tailOffset + offset
            places.append(Place(piece: .state, range: from..<from + TailState.bytes))
        }
        let slotBytes = Tail.slotBytes(tail: geometry.tailBytes)
        for number in 0..<Tail.slotCount {
            let from = geometry.tailOffset + DiskLimits.pageBytes + number * slotBytes
            guard read(at: from, 8) == TailSlot.magic else { continue }
            places.append(Place(piece: .slot, range: from..<from + TailSlot.headBytes))
            findRecords(
                SegmentNumber(read(at: from + 16, 8)),
                from + TailSlot.headBytes..<from + slotBytes, at: Int(read(at: from + 12, 4)))
        }
    }

    private mutating func findFooter(_ number: SegmentNumber, at from: Int) {
        let end = from + geometry.segmentBytes
        let block = image[end - SegmentFooter.lastBlockBytes..<end]
        let count = block.withUnsafeBytes {
            SegmentFooter.count($0, number, segmentBytes: geometry.segmentBytes)
        }
        guard let count else { return }
        places.append(
            Place(piece: .footer(number), range: end - SegmentFooter.bytes(count)..<end))
    }

    private mutating func findRecords(
        _ number: SegmentNumber, _ range: Range<Int>, at offset: Int
    ) {
        let reading = RecordReading(seal: seal, segment: number)
        var cursor = range.lowerBound
        while cursor < range.upperBound {
            let offset = offset + cursor - range.lowerBound
            let bytes = image[cursor..<range.upperBound].withUnsafeBytes {
                reading.record($0, at: offset)?.bytes
            }
            guard let bytes else { return }
            places.append(
                Place(piece: .record(number, offset: offset), range: cursor..<cursor + bytes))
            cursor += bytes
        }
    }

    // MARK: Forging

    private func read(at offset: Int, _ width: Int) -> UInt64 {
        (0..<width).reduce(0) { $0 | UInt64(image[offset + $1]) << (8 * UInt64($1)) }
    }

    private mutating func write(_ value: UInt64, at offset: Int, _ width: Int) {
        for byte in 0..<width {
            image[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))
        }
    }

    /// Changes one field, of any piece or of all copies of the tail's state.
    mutating func change(_ dice: inout SeededGenerator) {
        let kind = dice.below(7)
        let candidates = places.filter { $0.piece.kind == kind }
        guard !candidates.isEmpty else { return }
        let place = candidates[dice.below(candidates.count)]
        let (offset, width) = field(of: place, &dice)
        let value = Self.nonsense(read(at: place.range.lowerBound + offset, width), self, &dice)
        let isEverywhere = kind == 2 && dice.below(4) > 0
        for place in isEverywhere ? candidates : [place] {
            write(value, at: place.range.lowerBound + offset, width)
            seal(place)
        }
    }

    /// Sets a field and makes the checksum right.
    mutating func set(_ value: UInt64, at offset: Int, _ width: Int, in place: Place) {
        write(value, at: place.range.lowerBound + offset, width)
        seal(place)
    }

    /// A field's place in its piece, and its width; one in four is any bytes.
    private func field(
        of place: Place, _ dice: inout SeededGenerator
    ) -> (offset: Int, width: Int) {
        let bytes = place.range.count
        var fields = place.piece.fields
        if case .footer = place.piece {
            let block = bytes - SegmentFooter.lastBlockBytes
            fields = fields.map { (block + $0.0, $0.1) }
            if block > 0 {
                let entry = dice.below(block / SegmentFooter.entryBytes) * SegmentFooter.entryBytes
                fields += [(entry, 8), (entry + 8, 4), (entry + 8, 4)]
            }
        }
        fields = fields.filter { $0.0 + $0.1 <= bytes }
        guard dice.below(4) > 0, !fields.isEmpty else {
            let width = [1, 2, 4, 8][dice.below(4)]
            return (4 + dice.below(bytes - width - 4), width)
        }
        return fields[dice.below(fields.count)]
    }

    private static func nonsense(
        _ old: UInt64, _ forge: TierForge, _ dice: inout SeededGenerator
    ) -> UInt64 {
        let segment = UInt64(forge.geometry.segmentBytes)
        let values: [UInt64] = [
            0, 1, 2, .max, .max - 1, 1 << 63, 1 << 48, 1 << 48 - 1, 1 << 31, 1 << 62, old &+ 1,
            old &- 1, old &+ 8, old &- 8, old &+ 4, old ^ 1 << UInt64(dice.below(64)), segment,
            segment - 4, segment - 8, segment + 8, segment * 4, dice.next(), dice.next() >> 32,
            dice.next() >> UInt64(dice.below(64)),
        ]
        return values[dice.below(values.count)]
    }

    // MARK: Sealing

    private mutating func seal(_ place: Place) {
        let (from, to) = (place.range.lowerBound, place.range.upperBound)
        switch place.piece {
        case .superblock:
            let sum = image[12..<Superblock.bytes].withUnsafeBytes { CRC32C.checksum($0) }
            write(UInt64(sum), at: 8, 4)
        case .checkpoint:
            let floors = Int(read(at: from + 12, 4))
            let fits = floors <= geometry.checkpointBytes - Checkpoint.headBytes
            let end = fits ? from + Checkpoint.headBytes + floors : to
            seal(from + 12..<end, .none, 3, at: from + 8)
        case .state: seal(from + 12..<to, .none, 1, at: from + 8)
        case .slot: seal(from + 12..<from + 24, .none, 2, at: from + 8)
        case .header: seal(from + 12..<to, .none, 0, at: from + 8)
        case .footer(let number): sealFooter(number, endingAt: to, from: from)
        case .record(let number, let offset):
            let limit = geometry.fileBytes - from
            let look = image[from..<from + limit].withUnsafeBytes {
                RecordReading.look($0, limit: limit)
            }
            var end = to
            if case .whole(let bytes) = look { end = from + bytes }
            seal(from + 4..<end, number, offset, at: from)
        }
    }

    private mutating func sealFooter(_ number: SegmentNumber, endingAt to: Int, from: Int) {
        let block = to - SegmentFooter.lastBlockBytes
        let bytes = SegmentFooter.bytes(Int(read(at: block + 12, 4)))
        let begin = bytes <= geometry.segmentBytes ? to - bytes : from
        let entries = sum(begin..<block, number, block - begin)
        write(
            UInt64(entries ^ sum(block + 12..<to, number, block - begin + 12)), at: block + 8, 4)
    }

    private mutating func seal(
        _ range: Range<Int>, _ number: SegmentNumber, _ offset: Int, at place: Int
    ) {
        write(UInt64(sum(range, number, offset)), at: place, 4)
    }

    private func sum(_ range: Range<Int>, _ number: SegmentNumber, _ offset: Int) -> UInt32 {
        image[range].withUnsafeBytes { seal.checksum($0, in: number, at: offset) }
    }
}

extension TierForge.Piece {
    var kind: Int {
        switch self {
        case .superblock: 0
        case .checkpoint: 1
        case .state: 2
        case .slot: 3
        case .header: 4
        case .footer: 5
        case .record: 6
        }
    }

    /// Offsets and widths; a footer's are of its last block. docs/disk-format.md has them.
    fileprivate var fields: [(Int, Int)] {
        switch self {
        case .superblock:
            [
                (12, 4), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (40, 8), (56, 8), (64, 8),
                (72, 8), (80, 8), (88, 8), (96, 8), (104, 1), (105, 1),
            ]
        case .checkpoint:
            [(12, 4), (16, 8), (24, 8), (32, 8), (40, 8), (48, 4), (52, 8)]
        case .state:
            [
                (12, 4), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8), (56, 4), (60, 4), (64, 8),
            ]
        case .slot: [(12, 4), (16, 8), (24, 4)]
        case .header: [(12, 4), (16, 8), (24, 8)]
        case .footer: [(12, 4), (16, 8), (24, 4)]
        case .record: [(4, 4), (7, 1), (8, 2), (9, 1), (10, 6), (16, 6), (22, 6)]
        }
    }
}
