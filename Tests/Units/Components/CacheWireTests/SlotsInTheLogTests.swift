import ByteCoding
import CacheModel
import CacheWire
import Testing

/// Records of slots in the log: docs/decisions/0120.
@Suite struct SlotsInTheLogTests {
    private func sealed(_ slots: SlotRecord) throws -> SealedRecord {
        try SealedRecord(
            sealing: InvalidationRecord(
                position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(5)),
                previousDigest: LogDigest(9), slots: slots))
    }

    private func read(_ bytes: [UInt8]) throws -> SealedRecord {
        try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
    }

    private func isOfKnownForm(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { SealedRecord.isOfKnownForm($0) }
    }

    private func change() throws -> SlotRecord {
        let member = SlotMember(
            node: try #require(NodeID("n1")), state: .member, shardCount: 1,
            weightThousandths: 1_000)
        let row = SlotChange.Row(MemberNumber(1), member)
        let owner = SlotOwner(member: MemberNumber(1), shard: 0)
        let first = try #require(HashSlot(0))
        let run = try #require(SlotChange.Run(first: first, count: HashSlot.count, owner: owner))
        return .change(SlotChange(rows: [row], runs: [run]), digest: 7)
    }

    @Test func itsBytesAreTheseAndNoOthers() throws {
        let served = SlotRecord.served(below: SequenceNumber(4))
        let bytes = try sealed(served).bytes
        #expect(bytes[40..<48] == [0, 0, 1, 0, 0, 0, 0, 0])
        #expect(bytes[48..<56] == [6, 0, 0, 0, 16, 0, 0, 0])
        #expect(Array(bytes[56...]) == served.encoded)
    }

    @Test func itIsReadAsItWasSealedAndCoversNoKey() throws {
        for slots in [try change(), .served(below: SequenceNumber(4))] {
            let record = try sealed(slots)
            let again = try read(record.bytes)
            #expect(again == record && again.record.slots == slots && again.record.isForNodes)
            #expect(again.record.scopes.isEmpty && !again.record.isOfNewerForm)
            #expect(isOfKnownForm(record.bytes))
        }
    }

    /// More is hidden then, never less.
    @Test func aDamagedOneIsOfANewerForm() throws {
        let whole = try sealed(try change()).bytes
        for offset in 24..<whole.count {
            for bit in 0..<8 {
                var bytes = whole
                bytes[offset] ^= 1 << UInt8(bit)
                let record = try read(bytes).record
                if record.isOfNewerForm {
                    #expect(record.slots == nil && record.scopes == [Scope(.everything)])
                } else {
                    #expect(try SealedRecord(sealing: record).bytes == bytes, "byte \(offset)")
                }
            }
        }
    }

    /// It would hide behind a scope that is applied, or change owners by a client's wish.
    @Test func itStandsAloneAndNoClientSendsIt() throws {
        let slots = try sealed(try change()).bytes
        let other = try SealedRecord(
            sealing: InvalidationRecord(
                position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(5)),
                previousDigest: LogDigest(9), operation: .none, strength: .hard,
                scopes: [Scope(.everything)])
        ).bytes
        for scopes in [slots[48...] + other[48...], other[48...] + slots[48...]] {
            var bytes = Array(slots[..<48] + scopes)
            bytes[42] = 2
            bytes.replaceSubrange(
                0..<4, with: withUnsafeBytes(of: UInt32(bytes.count).littleEndian, Array.init))
            #expect(try read(bytes).record.isOfNewerForm)
            #expect(!isOfKnownForm(bytes))
        }
        #expect(throws: WireRefusal.self) {
            try Array(slots[48...]).withUnsafeBytes {
                var reader = ByteReader($0)
                _ = try Scope(decoding: &reader)
            }
        }
    }
}
