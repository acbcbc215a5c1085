import ByteCoding
import CacheInvalidation
import CacheModel
import Testing

@Suite struct FloorSnapshotStoringTests {
    private func sample() throws -> FloorSnapshot {
        let room = try #require(Namespace("room"))
        var names = FloorNames()
        names.raiseEverything(to: SequenceNumber(3))
        names.raise(room, to: SequenceNumber(4))
        names.raise(.init(namespace: .default, bytes: [1, 2, 3]), to: SequenceNumber(5))
        names.raise(
            .init(namespace: room, bytes: [UInt8](repeating: 7, count: 128)), to: .max)
        let buckets = [0, 1, 1_023, 1_024, 500_000, FloorBuckets.count - 1]
        var snapshot = FloorSnapshot(
            of: Chain.log,
            at: LogMark(position: .at(17, epoch: 9), digest: LogDigest(0xD1)), isCertain: true)
        snapshot.raise(
            FloorPart(
                first: 0, next: FloorBuckets.count, names: names,
                entries: buckets.map {
                    FloorEntry(bucket: $0, sequence: SequenceNumber(UInt64($0) << 20 | 1))
                }))
        return snapshot
    }

    private func stored(_ snapshot: FloorSnapshot, pieceBytes: Int = 64 << 10) -> [UInt8] {
        var writer = ByteWriter()
        snapshot.encodeHead(into: &writer)
        var page = 0
        while page < FloorSnapshot.pageCount {
            page = snapshot.encodePages(from: page, bytesMax: pieceBytes, into: &writer)
        }
        return writer.array
    }

    private func read(_ bytes: [UInt8]) -> FloorSnapshot? {
        bytes.withUnsafeBytes { FloorSnapshot(stored: $0) }
    }

    @Test func whatIsWrittenIsReadInPiecesOfAnyLength() throws {
        var snapshot = try sample()
        for piece in [6_152, 7_000, 1 << 20] {
            #expect(read(stored(snapshot, pieceBytes: piece)) == snapshot)
        }
        snapshot.becomeUncertain()
        #expect(read(stored(snapshot)) == snapshot)
        let empty = FloorSnapshot(of: Chain.log, at: Chain.start(), isCertain: true)
        #expect(read(stored(empty)) == empty && stored(empty).count == 96)
    }

    @Test func aNumberThatNoRecordHasIsNoSnapshot() throws {
        for name in [0, 1, 2] {
            var names = FloorNames()
            let beyond = SequenceNumber(SequenceNumber.max.rawValue + 1)
            switch name {
            case 0: names.raise(.default, to: beyond)
            case 1: names.raise(.init(namespace: .default, bytes: [1]), to: beyond)
            default: names.raiseEverything(to: beyond)
            }
            var snapshot = FloorSnapshot(of: Chain.log, at: Chain.start(), isCertain: true)
            snapshot.raise(FloorPart(first: 0, next: 1, names: names, entries: []))
            #expect(read(stored(snapshot)) == nil)
        }
    }

    @Test func everyCutIsNoticed() throws {
        let bytes = stored(try sample())
        for count in 0..<bytes.count where count < 700 || count % 97 == 0 {
            #expect(read(Array(bytes[..<count])) == nil, "\(count) bytes")
        }
        #expect(read(bytes + [0]) == nil)
    }

    @Test func everyFlippedBitIsNoticed() throws {
        let bytes = stored(try sample())
        for bit in 0..<(8 * bytes.count) where bit < 8 * 700 || bit % 61 == 0 {
            #expect(read(SegmentSample.flipped(bytes, bit: bit)) == nil, "bit \(bit)")
        }
    }
}
