import CacheWire
import Testing

@Suite struct MalformedFrameTests {
    private static func receivers(_ to: String) -> [Receiver] {
        Receiver(rawValue: to).map { [$0] } ?? Receiver.allCases
    }

    @Test func everyWrongFrameIsRefusedWithItsCode() throws {
        let refused = try GoldenFiles.malformed().refused
        #expect(refused.count >= 180)
        for frame in refused {
            let code = ErrorCode.allCases.first { String(describing: $0) == frame.code }
            let expected: Receiver.Verdict =
                frame.answer == "REFUSED" ? .refused : .error(try #require(code))
            for receiver in Self.receivers(frame.to) {
                let verdict = receiver.verdict(on: Hex.bytes(frame.hex))
                #expect(verdict == expected, "\(receiver): \(frame.wrong)")
            }
        }
    }

    @Test func everyUnusualFrameIsAccepted() throws {
        let accepted = try GoldenFiles.malformed().accepted
        #expect(accepted.count >= 19)
        for frame in accepted {
            for receiver in Self.receivers(frame.to) {
                let verdict = receiver.verdict(on: Hex.bytes(frame.hex))
                #expect(verdict == .accepted, "\(receiver): \(frame.name)")
            }
        }
    }

    @Test func aRefusalNamesTheRequestItAnswers() throws {
        for frame in try GoldenFiles.malformed().refused {
            let bytes = Hex.bytes(frame.hex)
            let id = bytes.withUnsafeBytes { MessageHeader.requestID(ofDamaged: $0) }
            if bytes.count < 24 || !bytes.starts(with: [0x4D, 0x4C]) {
                #expect(id == 0, "\(frame.wrong)")
            } else {
                #expect(id >= 1_000 && id < 1_300, "\(frame.wrong)")
            }
        }
    }

    @Test func theCodesOfRefusalsKeepTheirNumbers() {
        let numbers: [(ErrorCode, UInt16)] = [
            (.malformed, 1), (.unsupportedVersion, 2), (.unknownType, 3),
            (.unknownCriticalField, 4), (.outOfRange, 5), (.wrongStream, 6), (.unsupported, 7),
            (.unauthorised, 8), (.busy, 9), (.notRegistered, 10), (.unavailable, 11),
            (.leased, 12), (.wrongCluster, 13),
        ]
        #expect(numbers.map(\.0) == ErrorCode.allCases)
        for (code, number) in numbers { #expect(code.rawValue == number) }
    }
}
