import CacheInvalidation
import CacheModel
import Testing

@Suite struct SegmentProofTests {
    private let base = Chain.start()

    /// What a proof says of a segment that is read in pieces of `pieceBytes`.
    private func proof(
        _ bytes: [UInt8], to end: LogMark, pieceBytes: Int = SegmentFrame.bytesMax
    ) -> SegmentProof {
        var proof = SegmentProof(of: SegmentSample.header(after: base), to: end)
        while proof.standing == .unfinished {
            let rest = bytes.dropFirst(proof.usedBytes)
            let piece = rest.prefix(pieceBytes)
            piece.withUnsafeBytes { proof.read($0, isRest: piece.count == rest.count) }
        }
        return proof
    }

    @Test func aWholeSegmentIsProvenInPiecesOfAnyLength() throws {
        for count in [1, 5, 2_000] {
            let records = try Chain.records(count, after: base)
            let bytes = SegmentSample.bytes(records, after: base, zeros: 99)
            let end = try #require(records.last).mark
            for extra in [0, 8, 64, 1_000_000] {
                let found = proof(bytes, to: end, pieceBytes: SegmentFrame.bytesMax + extra)
                #expect(found.standing == .proven)
                #expect(found.usedBytes == SegmentSample.ends(records).last)
                #expect(found.index == SegmentSample.scan(bytes)?.index)
            }
        }
    }

    @Test func aSegmentWithoutRecordsIsProvenWithoutReading() {
        #expect(SegmentProof(of: SegmentSample.header(after: base), to: base).standing == .proven)
    }

    @Test func everyCutAndEveryFlippedBitIsDamage() throws {
        let records = try Chain.records(4, after: base)
        let bytes = SegmentSample.bytes(records, after: base)
        for count in SegmentHeader.bytes..<bytes.count {
            #expect(proof(Array(bytes[..<count]), to: records[3].mark).standing == .damaged)
        }
        for bit in (8 * SegmentHeader.bytes)..<(8 * bytes.count) {
            let flipped = SegmentSample.flipped(bytes, bit: bit)
            #expect(proof(flipped, to: records[3].mark).standing == .damaged, "bit \(bit)")
        }
    }

    /// Damage in a long segment is found where a piece ends as well.
    @Test func damageAtTheEndOfAPieceIsFound() throws {
        let records = try Chain.records(3_000, after: base)
        let bytes = SegmentSample.bytes(records, after: base)
        let end = try #require(records.last).mark
        let border = SegmentHeader.bytes + SegmentFrame.bytesMax
        for offset in stride(from: border - 120, to: border + 120, by: 8) {
            let flipped = SegmentSample.flipped(bytes, bit: 8 * offset)
            let found = proof(flipped, to: end)
            #expect(found.standing == .damaged)
            #expect(offset - found.usedBytes < 120 && found.usedBytes <= offset)
        }
    }

    @Test func aChainThatLeadsElsewhereIsDamage() throws {
        let records = try Chain.records(4, after: base)
        let others = try Chain.records(4, after: base, salt: 9)
        let bytes = SegmentSample.bytes(others, after: base)
        #expect(proof(bytes, to: records[3].mark).standing == .damaged)
        // One that begins elsewhere, or goes on for too short or too long.
        let start = Chain.start(of: LogID(0xB0))
        let strange = SegmentSample.bytes(try Chain.records(4, after: start), after: start)
        #expect(proof(strange, to: records[3].mark).standing == .damaged)
        let own = SegmentSample.bytes(records, after: base)
        #expect(proof(own, to: try Chain.records(5, after: base)[4].mark).standing == .damaged)
        #expect(proof(own, to: others[2].mark).standing == .damaged)
        #expect(proof(own, to: records[2].mark).standing == .proven)
    }
}
