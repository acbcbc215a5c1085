import ByteCoding
import CacheModel
import CacheWire
import Testing

/// The frames of Tests/Conformance/golden, which the Python codec wrote.
@Suite struct GoldenFrameTests {
    /// `statusReport` as the golden files name it: `STATUS_REPORT`.
    private static func name(of type: MessageType) -> String {
        // The house has another use for the word alone.
        if type == .awaitReceipt { return "AWAIT" }
        return String(describing: type).reduce(into: "") {
            if $1.isUppercase { $0 += "_" }
            $0 += $1.uppercased()
        }
    }

    private static func json(
        _ message: MessageView, _ body: DecodedBody, like golden: JSONValue
    ) -> JSONValue {
        var fields = message.fields.json
        fields["trace"] = golden["fields"]?["trace"]
        return .members([
            "version": .small(MessageHeader.version), "type": .text(name(of: message.type)),
            "flags": .small(0), "count": .small(message.count),
            "requestId": .wide(message.requestID), "stream": .small(0), "fields": fields,
            "body": body.json,
        ])
    }

    /// What is expected of the frame: a doubled tag counts once.
    private static func expected(_ golden: JSONValue) -> JSONValue {
        guard golden["type"]?.text == "SET", var body = golden["body"],
            let operations = body["operations"]
        else { return golden }
        body["operations"] = .list(
            operations.list.map { operation in
                var tags: [JSONValue] = []
                for tag in operation["tags"]?.list ?? [] where !tags.contains(tag) {
                    tags.append(tag)
                }
                var operation = operation
                operation["tags"] = .list(tags)
                return operation
            })
        var golden = golden
        golden["body"] = body
        return golden
    }

    @Test func everyGoldenFrameDecodesToItsValues() throws {
        let frames = try GoldenFiles.frames()
        #expect(frames.count >= 131)
        for frame in frames {
            try frame.bytes.withUnsafeBytes { bytes in
                let message = try MessageView(decoding: bytes)
                let body = try DecodedBody.decode(message)
                #expect(!body.isRefused, "\(frame.name)")
                let decoded = Self.json(message, body, like: frame.decoded)
                #expect(decoded == Self.expected(frame.decoded), "\(frame.name)")
            }
        }
    }

    /// The frame as the codec writes it, with the fields that its encoder leaves to others.
    private static func encoded(
        _ message: MessageView, _ body: DecodedBody, trace: [UInt8]?
    ) throws -> [UInt8] {
        var writer = ByteWriter()
        body.encode(&writer)
        let isMore =
            [.invalidate, .follow].contains(message.type)
            && message.fields.deadlineMilliseconds != nil
        // INVALIDATE writes its trace by itself.
        let isTraced = trace != nil && message.type != .invalidate
        guard isMore || isTraced else { return writer.array }
        let own = try MessageView(decoding: writer.bytes)
        var whole = ByteWriter()
        var out = MessageWriter(message.type, requestID: message.requestID, into: &whole)
        message.fields.write(to: &out, &whole)
        trace?.withUnsafeBytes { out.field(MessageFields.ID.trace, $0, into: &whole) }
        whole.append(own.body)
        out.finish(&whole, count: own.count)
        return whole.array
    }

    @Test func everyGoldenFrameIsWrittenByteByByteTheSame() throws {
        var count = 0
        for frame in try GoldenFiles.frames() where frame.decodeOnly != true {
            guard Self.expected(frame.decoded) == frame.decoded else { continue }
            try frame.bytes.withUnsafeBytes { bytes in
                let message = try MessageView(decoding: bytes)
                let body = try DecodedBody.decode(message)
                let trace = frame.decoded["fields"]?["trace"]?.text.map(Hex.bytes)
                let written = try Self.encoded(message, body, trace: trace)
                let isSame = written == frame.bytes
                #expect(isSame, "\(frame.name)")
            }
            count += 1
        }
        #expect(count >= 127)
    }

    @Test func everyTypeWithABodyHasAGoldenFrame() throws {
        let seen = Set(try GoldenFiles.frames().compactMap { $0.decoded["type"]?.text })
        let types = MessageType.allCases.map(Self.name)
        #expect(Set(types).subtracting(seen) == [])
    }

    @Test func theRecordsOfAFrameChainFromTheLogsID() throws {
        for frame in try GoldenFiles.frames() {
            guard frame.name == "RECORDS ten, every scope" || frame.name == "REPLAY of 3 records"
            else { continue }
            try frame.bytes.withUnsafeBytes { bytes in
                let run = try RecordRun(decoding: MessageView(decoding: bytes))
                var digest = LogDigest(startOf: LogID(0x0123_4567_89AB_CDEF))
                for record in run.records {
                    #expect(record.record.previousDigest == digest)
                    digest = record.digest
                }
                if let head = run.head { #expect(head == run.records.last?.mark) }
            }
        }
    }

    @Test func everyPrefixOfAGoldenFrameIsMalformed() throws {
        for frame in try GoldenFiles.frames() {
            frame.bytes.withUnsafeBytes { bytes in
                let codes = (0..<bytes.count).map { length -> ErrorCode? in
                    do throws(WireRefusal) {
                        _ = try MessageView(
                            decoding: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
                        return nil
                    } catch {
                        return error.code
                    }
                }
                let areMalformed = codes.allSatisfy { $0 == .malformed }
                #expect(areMalformed, "\(frame.name)")
            }
        }
    }

    @Test func everyShortenedBodyIsRefusedEvenIfTheLengthsAgree() throws {
        for frame in try GoldenFiles.frames() {
            let whole = frame.bytes
            let bodyBytes = whole[20..<24].reversed().reduce(0) { $0 << 8 | Int($1) }
            for cut in stride(from: 1, through: bodyBytes, by: bodyBytes < 600 ? 1 : 97) {
                var part = Array(whole.dropLast(cut))
                for index in 0..<4 {
                    part[20 + index] = UInt8(truncatingIfNeeded: (bodyBytes - cut) >> (index * 8))
                }
                let refusal = part.withUnsafeBytes { bytes -> WireRefusal? in
                    do throws(WireRefusal) {
                        _ = try DecodedBody.decode(MessageView(decoding: bytes))
                        return nil
                    } catch {
                        return error
                    }
                }
                #expect(refusal?.code == .malformed, "\(frame.name) without \(cut) bytes")
            }
        }
    }
}
