import ByteCoding
import CacheModel
import CacheWire
import Testing

@Suite struct MessageViewTests {
    private static func frame(
        _ type: MessageType, count: Int = 0, fields: [UInt8] = [], body: [UInt8] = []
    ) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(type, requestID: 9, into: &writer)
        writer.append(fields)
        message.bodyStart = writer.count
        writer.append(body)
        message.finish(&writer, count: count)
        return writer.array
    }

    private static func code(_ frame: [UInt8]) -> ErrorCode? {
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                _ = try MessageView(decoding: bytes)
                return nil
            } catch {
                return error.code
            }
        }
    }

    /// Wounds in the order in which a receiver looks, each with the code it deserves.
    private static let faults: [(at: Int, byte: UInt8, code: ErrorCode)] = [
        (0, 0x58, .malformed), (2, 9, .unsupportedVersion), (3, 0x7E, .unknownType),
        (4, 1, .malformed), (16, 1, .wrongStream), (20, 99, .malformed),
        (24, 0xFE, .unknownCriticalField),
    ]

    @Test func theFirstOfTwoFaultsDecides() {
        let good = Self.frame(.status, fields: [0x7F, 0])
        #expect(Self.code(good) == nil)
        for first in Self.faults.indices {
            for second in first..<Self.faults.count {
                var frame = good
                for index in [first, second] {
                    frame[Self.faults[index].at] = Self.faults[index].byte
                }
                #expect(Self.code(frame) == Self.faults[first].code, "\(first) and \(second)")
            }
        }
    }

    @Test func onlyTypesWithACountMayHaveOne() {
        let counted: Set<MessageType> = [
            .get, .set, .delete, .touch, .chunk, .results, .invalidate, .receipt, .statusReport,
            .topologyReport, .scanPage, .explanation, .replay, .floorSnapshot, .records,
            .count, .pace, .pacingReport, .queueReport, .followed,
        ]
        for type in MessageType.allCases {
            let mayCount = counted.contains(type)
            #expect((Self.code(Self.frame(type, count: 1)) == nil) == mayCount, "\(type)")
        }
    }

    @Test func aFieldIsRefusedBeforeTheCount() {
        let frame = Self.frame(.status, count: 1, fields: [0xFE, 0])
        #expect(Self.code(frame) == .unknownCriticalField)
    }

    @Test func theLengthOfAFieldIsJudgedBeforeItsContent() {
        let huge = [UInt8](repeating: 0xFF, count: 13)
        #expect(Self.code(Self.frame(.get, count: 1, fields: [0x82, 13] + huge)) == .malformed)
        let position = [UInt8](repeating: 0xFF, count: 12)
        #expect(
            Self.code(Self.frame(.get, count: 1, fields: [0x82, 12] + position)) == .outOfRange)
    }

    @Test func theNumbersOfTypesAndTopicsStay() {
        let numbers: [UInt8] = [
            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
            0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26,
            0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x30, 0x31, 0x40, 0x41, 0x42, 0x44, 0x45,
            0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x7F,
        ]
        #expect(MessageType.allCases.map(\.rawValue) == numbers)
        #expect(MessageHeader.topic(of: .records) == [0x4D, 0x4C, 0x01, 0x30])
        #expect(MessageHeader.topic(of: .heartbeat) == [0x4D, 0x4C, 0x01, 0x31])
    }

    @Test func aFieldAfterTheBodyTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            var message = MessageWriter(.get, requestID: 1, into: &writer)
            writer.append(UInt8(0))
            message.field(MessageFields.ID.deadline, UInt32(1), into: &writer)
        }
    }
}
