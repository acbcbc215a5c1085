import ByteCoding
import CacheModel
import CacheWire
import Testing

@Suite struct SealedRecordTests {
    private static func record(
        _ scopes: [Scope], sequence: UInt64 = 1, previous: UInt64 = 0
    ) -> InvalidationRecord {
        InvalidationRecord(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence)),
            previousDigest: LogDigest(previous), operation: OperationID(high: 1, low: 2),
            strength: .soft, scopes: scopes)
    }

    private static func key(_ length: Int) throws -> Scope {
        let key = try #require(CacheKey(bytes: [UInt8](repeating: 0x6B, count: length)))
        return Scope(.key(key, in: .default))
    }

    private static func code(sealing record: InvalidationRecord) -> ErrorCode? {
        do throws(WireRefusal) {
            _ = try SealedRecord(sealing: record)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func whatWasSealedIsReadAgain() throws {
        let scopes = [try Self.key(3), Scope(.everything, hashRange: 1...2)]
        let sealed = try SealedRecord(sealing: Self.record(scopes))
        let read = try sealed.bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
        #expect(read == sealed)
        #expect(sealed.digest.rawValue == StableHash.hash(sealed.bytes))
    }

    @Test func aRecordFillsItsBytesAndNotOneMore() throws {
        // 48 bytes of head, then scopes of 8 bytes and a key: 15 of 4 104 and one of 3 928.
        let most =
            try [Self.key(65_536 - 48 - 15 * 4_104 - 8)]
            + (0..<15).map { _ in try Self.key(4_096) }
        #expect(try SealedRecord(sealing: Self.record(most)).bytes.count == 65_536)
        let more = try most.dropFirst() + [Self.key(65_536 - 48 - 15 * 4_104 - 7)]
        #expect(Self.code(sealing: Self.record(Array(more))) == .outOfRange)
    }

    @Test func aRecordHasOneToAThousandScopes() throws {
        let scope = try Self.key(1)
        #expect(Self.code(sealing: Self.record([])) == .outOfRange)
        #expect(Self.code(sealing: Self.record(.init(repeating: scope, count: 1_000))) == nil)
        let more = [Scope](repeating: scope, count: 1_001)
        #expect(Self.code(sealing: Self.record(more)) == .outOfRange)
    }

    @Test func aScopeWithoutAMeaningIsNotSealed() throws {
        let long = Scope(.prefix([UInt8](repeating: 0, count: 70_000), in: .default))
        #expect(Self.code(sealing: Self.record([long])) == .malformed)
        let ranged = Scope(try Self.key(1).target, hashRange: 0...1)
        #expect(Self.code(sealing: Self.record([ranged])) == .malformed)
    }

    @Test func aRecordOfSequenceZeroIsNotRead() throws {
        let sealed = try SealedRecord(sealing: Self.record([Self.key(1)], sequence: 0))
        sealed.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            #expect(throws: WireRefusal.self) { try SealedRecord(decoding: &reader) }
        }
    }

    @Test(
        arguments: [(0, .malformed), (47, .malformed), (65_537, .outOfRange)]
            as [(UInt32, ErrorCode)])
    func aRecordWithAnImpossibleLengthIsNotRead(length: UInt32, code: ErrorCode) {
        var writer = ByteWriter()
        writer.append(length)
        writer.append(zeros: 70_000)
        var reader = ByteReader(writer.bytes)
        do throws(WireRefusal) {
            _ = try SealedRecord(decoding: &reader)
            Issue.record("a record of \(length) bytes was read")
        } catch {
            #expect(error.code == code)
        }
    }

    // MARK: Newer forms

    private static func read(_ bytes: [UInt8]) throws(WireRefusal) -> SealedRecord {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(WireRefusal) in
                var reader = ByteReader(bytes)
                return try SealedRecord(decoding: &reader)
            }
        }
        return try result.get()
    }

    private static func isOfKnownForm(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { SealedRecord.isOfKnownForm($0) }
    }

    /// Whatever stands behind the envelope, the record's place, its bytes and its digest are read;
    /// what it says is either understood to the last bit or *everything*.
    @Test func noByteBehindTheEnvelopeKeepsARecordFromBeingRead() throws {
        let tag = try #require(Tag("red"))
        let images = try #require(Namespace("images"))
        let scopes = [try Self.key(3), Scope(.tag(tag, in: images), hashRange: 1...2)]
        let sealed = try SealedRecord(sealing: Self.record(scopes, sequence: 5, previous: 9))
        var newerCount = 0
        for index in 24..<sealed.bytes.count {
            for bit in 0..<8 {
                var bytes = sealed.bytes
                bytes[index] ^= 1 << UInt8(bit)
                let read = try Self.read(bytes)
                #expect(read.position == sealed.position && read.bytes == bytes)
                #expect(read.record.previousDigest == LogDigest(9))
                #expect(read.digest.rawValue == StableHash.hash(bytes))
                guard read.record.isOfNewerForm else {
                    #expect(try SealedRecord(sealing: read.record).bytes == bytes)
                    #expect(Self.isOfKnownForm(bytes))
                    continue
                }
                newerCount += 1
                #expect(read.record.scopes == [Scope(.everything)])
                #expect(read.record.strength == .hard && read.record.operation == .none)
            }
        }
        #expect(newerCount > 100)
        #expect(!sealed.record.isOfNewerForm && Self.isOfKnownForm(sealed.bytes))
    }

    @Test func anUnknownShapeIsSeenWithoutReadingNames() throws {
        let sealed = try SealedRecord(sealing: Self.record([Self.key(3)]))
        for (index, byte) in [(40, 2), (41, 1), (42, 0), (44, 1), (48, 9), (49, 8)] {
            var bytes = sealed.bytes
            bytes[index] = UInt8(byte)
            #expect(!Self.isOfKnownForm(bytes), "byte \(index)")
            #expect(try Self.read(bytes).record.isOfNewerForm, "byte \(index)")
        }
        #expect(!Self.isOfKnownForm(sealed.bytes + [0]))
        #expect(!Self.isOfKnownForm(sealed.bytes.dropLast()))
    }

    @Test func whatCannotBeReadIsNotWrittenAnew() async {
        await #expect(processExitsWith: .failure) {
            let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
            _ = try SealedRecord(
                sealing: InvalidationRecord(
                    ofNewerFormAt: position, previousDigest: LogDigest(0)))
        }
    }

    @Test func aRunThatFitsIsTheLongestThatDoes() throws {
        let large = try (0..<15).map { _ in try Self.key(4_096) }
        let records = try (1...40).map {
            try SealedRecord(sealing: Self.record(large, sequence: $0))
        }
        let count = RecordRun.prefixThatFits(records)
        #expect(count == (1_048_576 - 1_024) / records[0].bytes.count)
        var writer = ByteWriter()
        RecordRun(records: Array(records.prefix(count))).encode(requestID: 0, into: &writer)
        #expect(writer.count <= WireLimits.frameBytesMax)
        let small = try SealedRecord(sealing: Self.record([Self.key(1)]))
        #expect(RecordRun.prefixThatFits(repeatElement(small, count: 5_000)) == 4_096)
        #expect(RecordRun.prefixThatFits([]) == 0)
    }

    @Test func aRunWithAGapIsRefused() throws {
        for (second, isRefused) in [(2, false), (1, true), (3, true)] as [(UInt64, Bool)] {
            let records = try [1, second].map {
                try SealedRecord(sealing: Self.record([Self.key(1)], sequence: $0))
            }
            var writer = ByteWriter()
            RecordRun(records: records).encode(requestID: 0, into: &writer)
            let run = try? RecordRun(decoding: MessageView(decoding: writer.bytes))
            #expect((run == nil) == isRefused, "record 1, then \(second)")
        }
    }

    @Test func onlyRecordsOffTheLiveChannelAreLazy() throws {
        let record = try SealedRecord(sealing: Self.record([Self.key(1)]))
        for isLazy in [true, false] {
            var writer = ByteWriter()
            let run = RecordRun(records: [record], isLazy: isLazy)
            run.encode(requestID: 0, into: &writer)
            #expect(try RecordRun(decoding: MessageView(decoding: writer.bytes)) == run)
            #expect(writer.count == 24 + record.bytes.count + (isLazy ? 2 : 0))
        }
        // A REPLAY that says it is believed in everything else.
        var writer = ByteWriter()
        var message = MessageWriter(.replay, requestID: 7, into: &writer)
        message.field(MessageFields.ID.lazy, .init(start: nil, count: 0), into: &writer)
        writer.append(record.mark)
        writer.append(record.bytes)
        message.finish(&writer, count: 1)
        let run = try RecordRun(decoding: MessageView(decoding: writer.bytes))
        #expect(run == RecordRun(records: [record], head: record.mark))
    }

    @Test func recordsThatFitNoFrameTrap() async {
        await #expect(processExitsWith: .failure) {
            let bytes = [UInt8](repeating: 0, count: 65_536)
            let sealed = SealedRecord(
                record: SealedRecordTests.record([Scope(.everything)]), bytes: bytes,
                digest: LogDigest(0))
            var writer = ByteWriter()
            RecordRun(records: .init(repeating: sealed, count: 17))
                .encode(requestID: 0, into: &writer)
        }
    }
}
