import CacheModel
import Testing

@testable import CacheDisk

/// Bytes with a right checksum that say what cannot be: a start discards them, with the cause.
@Suite struct ProvenNonsenseTests {
    /// A tier with a sealed segment, killed.
    private static func killed() -> DiskBench {
        var bench = DiskBench()
        var number = 0
        while bench.tier.log.active < SegmentNumber(3) {
            bench.set("key \(number)", "value")
            bench.settle()
            number += 1
        }
        return bench
    }

    /// The file with a field changed, in all pieces of a kind.
    private static func forged(
        _ value: UInt64, at offset: Int, _ width: Int,
        where isMeant: (TierForge.Piece) -> Bool
    ) -> [UInt8] {
        var forge = TierForge(killed().image, DiskBench.superblock())
        for place in forge.places where isMeant(place.piece) {
            let from = offset < 0 ? place.range.count + offset : offset
            forge.set(value, at: from, width, in: place)
        }
        return forge.image
    }

    private static func start(with image: [UInt8]) -> DiskBench {
        var bench = DiskBench(recovering: image)
        bench.settleWithin("a start")
        return bench
    }

    // MARK: The tail

    @Test(
        arguments: [
            (24, 0), (24, 5), (24, .max), (48, 7), (48, 1 << 40), (48, .max), (40, .max),
            (40, 1 << 56), (16, 1 << 48 - 1), (16, .max),
        ] as [(Int, UInt64)])
    func aStateThatNamesWhatCannotBeIsDamaged(offset: Int, value: UInt64) throws {
        let image = Self.forged(value, at: offset, 8) { $0.kind == 2 }
        let bench = Self.start(with: image)
        let cause = bench.unusable
        #expect(cause == .tailDamaged)
        let found = try InspectionBench().inspect(image)
        #expect(found.facts.verdict == .discards(.unusable(.tailDamaged)))
    }

    @Test(arguments: [0, 31, 33, 36, 4_090, 4_096, 1 << 32 - 1] as [UInt64])
    func aSlotThatBeginsWhereNoRecordCanIsDamaged(start: UInt64) {
        let bench = Self.start(with: Self.forged(start, at: 12, 4) { $0.kind == 3 })
        let cause = bench.unusable
        #expect(cause == .tailDamaged)
    }

    // MARK: Segments

    @Test(arguments: [0, 16, 33, 36, 4_000, 4_096, 1 << 20, 1 << 32 - 8] as [UInt64])
    func anEntryOfAFooterThatLiesNowhereMakesItsSegmentNothing(offset: UInt64) throws {
        let image = Self.forged(offset, at: 8, 4) { $0.isFooter(of: 2) }
        var bench = Self.start(with: image)
        let recovered = bench.recovered
        #expect(recovered?.damageCount == 1 && bench.tier.log.tail.state.oldest == SegmentNumber(3))
        let value = bench.get("key 0")
        #expect(value == nil)
        let found = try InspectionBench().inspect(image)
        #expect(found.facts.damageCount > 0 && found.recoveredCount == bench.tier.entryCount)
    }

    /// Its records still prove themselves, and where they end is known.
    @Test(arguments: [0, 31, 4_096, 1 << 32 - 1] as [UInt64])
    func recordsAreRecoveredDespiteAFooterWithAnInvalidEnd(end: UInt64) throws {
        let bench = Self.start(with: Self.forged(end, at: -8, 4) { $0.isFooter(of: 2) })
        let recovered = bench.recovered
        #expect(
            recovered?.damageCount == 0 && bench.tier.entryCount == Self.killed().tier.entryCount)
    }

    @Test func aRecordWithMoreTagsThanThereMayBeIsNone() {
        for (count, bytes) in [(64, 1), (65, 1), (1, 0)] {
            let record = Self.record(tagCount: count, tagBytes: bytes)
            let isEntry = record.withUnsafeBytes { bytes in
                RecordReading(seal: RecordSeal(tier: 1), segment: SegmentNumber(1))
                    .record(bytes, at: 32) != nil
            }
            #expect(isEntry == (count == 64))
        }
    }

    private static func record(tagCount: Int, tagBytes: Int) -> [UInt8] {
        let text = [UInt8](repeating: 0x61, count: 8)
        return text.withUnsafeBytes { text in
            var entry = DiskEntry(key: text, value: text)
            let tag = UnsafeRawBufferPointer(rebasing: text[0..<tagBytes])
            entry.tags = Array(repeating: tag, count: tagCount)
            var bytes = [UInt8](repeating: 0, count: entry.recordBytes)
            bytes.withUnsafeMutableBytes {
                RecordWriting(seal: RecordSeal(tier: 1), segment: SegmentNumber(1))
                    .write(entry, as: .entry, into: $0, at: 32)
            }
            return bytes
        }
    }

    // MARK: Heads

    @Test(arguments: [(16, .max), (16, 1 << 56), (32, 1 << 48 - 1), (32, .max)] as [(Int, UInt64)])
    func aCheckpointThatCouldNotGoOnIsNone(offset: Int, value: UInt64) {
        let bench = Self.start(with: Self.forged(value, at: offset, 8) { $0.kind == 1 })
        let cause = bench.unusable
        #expect(cause == .noCheckpoint)
    }

    @Test func aSuperblockOfAnUnknownShardIsDamaged() {
        let image = Self.forged(1, at: 28, 2) { $0.kind == 0 }
        guard case .failure(.damaged) = Superblock.decoding(image) else {
            Issue.record("shard 1 of 1")
            return
        }
    }

    /// What a node logs is a line of text.
    @Test(arguments: [0, 9, 32, 127, 128, 255] as [UInt8])
    func aFormatThatIsNoCharacterIsToldByItsNumber(format: UInt8) {
        let cause = AnewCause.otherFormat(format).description
        let failure = InspectionFailure.otherFormat(format).description
        #expect(cause.contains("format \(format)") && failure.contains("format \(format),"))
    }
}

extension TierForge.Piece {
    fileprivate func isFooter(of number: UInt64) -> Bool {
        if case .footer(SegmentNumber(number)) = self { true } else { false }
    }
}
