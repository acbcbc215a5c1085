import ByteCoding
import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct ZAPHandlerTests {
    private static let key = [UInt8](repeating: 5, count: 32)

    private static func frames(
        _ version: String = "1.0", mechanism: String = "CURVE", credentials: [[UInt8]] = [key]
    ) -> [[UInt8]] {
        [version, "77", "data", "10.0.0.7", "id", mechanism].map { Array($0.utf8) } + credentials
    }

    @Test func aRequestIsReadFrameByFrame() throws {
        let request = try #require(ZAPRequest(Self.frames()))
        #expect(request.id == Array("77".utf8))
        #expect(request.domain == "data" && request.address == "10.0.0.7")
        #expect(request.key == PublicKey(bytes: Self.key))
    }

    @Test func onlyOneCredentialOf32BytesByCurveIsAKey() {
        let wrong: [(String, [[UInt8]])] = [
            ("NULL", []), ("PLAIN", [Self.key]), ("curve", [Self.key]), ("CURVE", []),
            ("CURVE", [Self.key, Self.key]), ("CURVE", [Self.key + [1]]), ("CURVE", [[]]),
        ]
        for (mechanism, credentials) in wrong {
            let request = ZAPRequest(
                Self.frames(mechanism: mechanism, credentials: credentials))
            #expect(request != nil && request?.key == nil, "\(mechanism)")
        }
    }

    @Test func whatHasTooFewFramesOrAnotherVersionIsNoRequest() {
        let frames = Self.frames()
        for count in 0..<6 { #expect(ZAPRequest(Array(frames.prefix(count))) == nil) }
        for version in ["", "1", "1.1", "2.0", "1.0 "] {
            #expect(ZAPRequest(Self.frames(version)) == nil)
        }
    }

    @Test func aVerdictIsAStatusAndANumberInDigits() {
        #expect(ZAPVerdict.admitted(4_294_967_295).statusCode == "200")
        #expect(ZAPVerdict.admitted(4_294_967_295).userID == "4294967295")
        #expect(ZAPVerdict.refused.statusCode == "400" && ZAPVerdict.refused.userID == "")
    }

    @Test func aDomainHasOneTo255Bytes() {
        #expect(ZAPDomain(rawValue: String(repeating: "d", count: 255)).rawValue.count == 255)
        #expect(ZAPDomain.unspecified.rawValue == "unspecified")
    }

    @Test func everyRequestIsAnsweredWithWhatIsDecided() throws {
        let context = try Context()
        var handler = try ZAPHandler(context)
        let asker = try Socket(context, .dealer)
        try asker.connect(Endpoint("inproc://zeromq.zap.01"))
        func answer(
            _ frames: [[UInt8]], _ decide: (ZAPRequest) -> ZAPVerdict
        ) throws -> [String] {
            // What a REQ would put before it.
            let all = [[]] + frames
            for (index, frame) in all.enumerated() {
                try #require(try asker.sendFrame(frame, more: index < all.count - 1) == .sent)
            }
            try handler.socket.waitUntilReady(for: .readable)
            try handler.answerWaiting(decide)
            return try asker.nextMessage().map { String(decoding: $0, as: UTF8.self) }
        }
        let admitted = try answer(Self.frames()) { _ in .admitted(12) }
        #expect(admitted == ["", "1.0", "77", "200", "", "12", ""])
        let refused = try answer(Self.frames()) { _ in .refused }
        #expect(refused == ["", "1.0", "77", "400", "", "", ""])
        // Nobody decides about what is no request.
        for frames in [[[]], [[1, 2]], Self.frames("9.9"), Array(Self.frames().prefix(5))] {
            let answer = try answer(frames) { _ in
                Issue.record("it was asked")
                return .admitted(1)
            }
            #expect(answer == ["", "1.0", "", "400", "", "", ""])
        }
        let long = Self.frames() + [[UInt8]](repeating: [1], count: 100)
        let keyless = try answer(long) { $0.key == nil ? .refused : .admitted(1) }
        #expect(keyless == ["", "1.0", "77", "400", "", "", ""])
    }

    @Test func aCrowdIsAnsweredInTurns() throws {
        let context = try Context()
        var handler = try ZAPHandler(context)
        let asker = try Socket(context, .dealer)
        try asker.connect(Endpoint("inproc://zeromq.zap.01"))
        let all = [[]] + Self.frames()
        for _ in 0..<(ZeroMQLimits.answersMax + 1) {
            for (index, frame) in all.enumerated() {
                try #require(try asker.sendFrame(frame, more: index < all.count - 1) == .sent)
            }
        }
        var counts: [Int] = []
        for _ in 0..<2 {
            var count = 0
            try handler.socket.waitUntilReady(for: .readable)
            try handler.answerWaiting { _ in
                count += 1
                return .refused
            }
            counts.append(count)
        }
        #expect(counts == [ZeroMQLimits.answersMax, 1])
    }

    @Test func aContextHasOneHandler() throws {
        let context = try Context()
        let first = try ZAPHandler(context)
        let second = failure { () throws(ZeroMQError) in _ = try ZAPHandler(context) }
        #expect(second?.isAddressInUse == true)
        _ = consume first
    }
}
