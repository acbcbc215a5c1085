import ByteCoding
import CacheModel
import CacheWire
import Testing

@Suite struct ResultFieldsTests {
    private static func decode(_ bytes: [UInt8]) -> (fields: ResultFields?, code: ErrorCode?) {
        bytes.withUnsafeBytes { raw in
            do throws(WireRefusal) {
                return (try ResultFields(decoding: raw), nil)
            } catch {
                return (nil, error.code)
            }
        }
    }

    private static func field(_ id: UInt8, _ count: Int) -> [UInt8] {
        [id, UInt8(count)] + [UInt8](repeating: id == 2 ? 1 : 0, count: count)
    }

    @Test(
        arguments: [
            (1, [8]), (2, Array(1...255)), (3, Array(1...255)), (4, [32]), (5, [12]), (6, [12]),
            (7, [4]), (8, Array(0...255)), (9, [9]),
        ] as [(UInt8, [Int])])
    func everyFieldHasItsLength(id: UInt8, allowed: [Int]) {
        for length in 0...255 {
            let code = Self.decode(Self.field(id, length)).code
            #expect(code == (allowed.contains(length) ? nil : .malformed), "\(length) bytes")
        }
    }

    @Test func onlyTagsRepeat() {
        let lengths: [UInt8: Int] = [1: 8, 2: 1, 3: 1, 4: 32, 5: 12, 6: 12, 7: 4, 8: 1, 9: 9]
        for (id, length) in lengths {
            let twice = Self.field(id, length) + Self.field(id, length)
            #expect(Self.decode(twice).code == (id == 3 ? nil : .malformed), "field \(id)")
        }
    }

    @Test func unknownFieldsArePassedOverUnlessTheyAreCritical() {
        for id in UInt8(10)...255 where ![0x0A, 0x8B, 0x0C].contains(id) {
            let (fields, code) = Self.decode(Self.field(id, 3) + Self.field(7, 4))
            #expect(code == (id >= 128 ? .unknownCriticalField : nil))
            #expect(fields?.retryAfterMilliseconds == (id >= 128 ? nil : 0))
        }
        #expect(Self.decode(Self.field(0, 3)).code == nil)
    }

    @Test(arguments: [0x0A, 0x8B, 0x0C] as [UInt8])
    func whatIsSaidOfTheBytesIsLegalAndStandsOnce(id: UInt8) {
        func field(_ text: String) -> [UInt8] { [id, UInt8(text.utf8.count)] + text.utf8 }
        let said = Self.decode(field("a/b")).fields?.representation
        #expect(said?.stored.count == 6)
        #expect(Self.decode(field("a") + field("b")).code == .malformed)
        for text in ["", " a", "a ", "a\r\nb", "a\u{0}"] {
            #expect(Self.decode(field(text)).code == .malformed)
        }
    }

    @Test func aTokenTellsForHowLongItIsValid() {
        let token = FillToken(
            position: LogPosition(epoch: Epoch(7), sequence: SequenceNumber(41)),
            incarnation: Incarnation(3), nonce: 4)
        var writer = ByteWriter()
        OperationResult.appendField(token: token, validMilliseconds: 2_500, to: &writer)
        let fields = Self.decode(writer.array).fields
        #expect(fields?.token == token)
        #expect(fields?.tokenValidMilliseconds == 2_500)
    }

    @Test func aMessageThatIsNotTextIsRefused() {
        #expect(Self.decode([8, 2, 0xC3, 0x28]).code == .malformed)
    }

    @Test func theNumbersOfResultsStay() {
        #expect(ResultStatus.allCases.map(\.rawValue) == Array(1...13))
        #expect(ResultStatus.hit.rawValue == 1)
        #expect(ResultStatus.changed.rawValue == 12)
        #expect(ResultStatus.failed.rawValue == 13)
        #expect(LoadFailure.allCases.map(\.rawValue) == Array(1...14))
        #expect(Tier.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(BehindReason.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(ResultFlags.unfenced.rawValue == 1)
        #expect(ResultFlags.suspect.rawValue == 2)
        #expect(ResultFlags.soft.rawValue == 4)
        #expect(ResultFlags.overtaken.rawValue == 8)
        #expect(ResultFlags.negative.rawValue == 16)
        #expect(ResultFlags.tolerated.rawValue == 64)
        #expect(WaitMode.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(ScopeKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    }
}
