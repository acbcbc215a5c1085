import ByteCoding
import CacheLoading
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Messages to the owner of a key with writes that another node had accepted.
@Suite struct WriteForwardsTests {
    private let endpoint = "tcp://127.0.0.1:1"
    private let start = Instant(nanoseconds: 0)

    private func forward(
        _ change: OriginWrite.Change,
        ownedSince: LogPosition? = LogPosition(
            epoch: Epoch(1), sequence: SequenceNumber(7))
    ) throws -> WriteForward {
        let write = OriginWrite(
            namespace: .default, key: try #require(CacheKey("a")), change: change,
            name: OperationID(high: 5, low: 6))
        return WriteForward(
            WriteNumber(3), to: try #require(NodeID("n2")), write, ownedSince: ownedSince)
    }

    private func answer(
        _ frame: [UInt8], _ status: ResultStatus, detail: UInt8 = 0
    ) throws -> [UInt8] {
        let request = try frame.withUnsafeBytes { try MessageView(decoding: $0).requestID }
        var writer = ByteWriter()
        let message = MessageWriter(.results, requestID: request, into: &writer)
        Proof(
            position: .none, state: .live, leaseLeftMilliseconds: 0, topologyVersion: 1
        ).encode(into: &writer)
        OperationResult.append(status, detail: detail, to: &writer)
        message.finish(&writer, count: 1)
        return writer.array
    }

    private func next(
        _ forwards: inout WriteForwards, _ frame: [UInt8], now: Instant = Instant(nanoseconds: 0)
    ) -> WriteForwards.Next? {
        frame.withUnsafeBytes { forwards.answered($0, from: endpoint, now: now) }
    }

    @Test(arguments: [true, false])
    func aWriteIsSentWithItsNameAndItsPosition(isRemoval: Bool) throws {
        var forwards = WriteForwards()
        let forward = try forward(isRemoval ? .delete : .put([1, 2]))
        let frame = forwards.begin(forward, to: endpoint, now: start)
        try frame.withUnsafeBytes { bytes in
            let message = try MessageView(decoding: bytes)
            #expect(message.type == (isRemoval ? .delete : .set) && message.count == 1)
            #expect(message.fields.operation == forward.write.name)
            #expect(message.fields.forwarded == forward.ownedSince)
            #expect(WriteForwards.owns(bytes))
        }
        let done = try answer(frame, isRemoval ? .removed : .stored)
        #expect(next(&forwards, done) == .ended(.init(forward, .accepted)))
        #expect(next(&forwards, done) == nil, "it ends once")
        #expect(forwards.askedEndpoints.isEmpty && forwards.nextDeadline == nil)
    }

    @Test func aWriteWithoutAConditionSaysSo() throws {
        var forwards = WriteForwards()
        let frame = forwards.begin(
            try forward(.delete, ownedSince: nil), to: endpoint, now: start)
        try frame.withUnsafeBytes {
            let message = try MessageView(decoding: $0)
            #expect(message.fields.forwarded == .beyondAll)
        }
    }

    @Test func aLongValueGoesAheadInChunks() throws {
        var forwards = WriteForwards()
        let value = (0..<(2 * WireLimits.chunkBytesMax + 5)).map { UInt8(truncatingIfNeeded: $0) }
        let forward = try forward(.put(value))
        var frame = forwards.begin(forward, to: endpoint, now: start)
        var sent: [UInt8] = []
        for _ in 0..<3 {
            try frame.withUnsafeBytes {
                let message = try MessageView(decoding: $0)
                #expect(message.type == .chunk)
                var reader = ByteReader(message.body)
                let chunk = try ChunkOperation(decoding: &reader)
                #expect(chunk.isValid && chunk.offset == sent.count && chunk.uploadID == 3)
                sent += chunk.bytes
            }
            guard case .send(let more)? = next(&forwards, try answer(frame, .received)) else {
                Issue.record("nothing follows a chunk")
                return
            }
            frame = more
        }
        #expect(sent == value)
        try frame.withUnsafeBytes {
            let message = try MessageView(decoding: $0)
            var (reader, tags) = (ByteReader(message.body), [UnsafeRawBufferPointer]())
            let store = try SetOperation(decoding: &reader, tags: &tags)
            #expect(message.type == .set && store.upload?.totalBytes == value.count)
        }
        #expect(next(&forwards, try answer(frame, .stored)) == .ended(.init(forward, .accepted)))
    }

    @Test func aRefusalIsForGoodOnlyIfItsCauseIs() throws {
        let cases: [(StoreRefusal, WriteForwardOutcome)] = [
            (.invalidatedMeanwhile, .overtaken),
            (.originRefused, .refused(WriteRejection(status: WriteRejection.atOwner))),
            (.draining, .failed(.unavailable)), (.queueUnusable, .failed(.unavailable)),
            (.originUnanswered, .failed(.unavailable)),
            (.uploadIncomplete, .failed(.unavailable)),
        ]
        for (refusal, outcome) in cases {
            var forwards = WriteForwards()
            let forward = try forward(.put([1]))
            let frame = forwards.begin(forward, to: endpoint, now: start)
            let answer = try answer(frame, .refused, detail: refusal.rawValue)
            #expect(next(&forwards, answer) == .ended(.init(forward, outcome)), "\(refusal)")
        }
        var forwards = WriteForwards()
        let forward = try forward(.put([1]))
        let frame = forwards.begin(forward, to: endpoint, now: start)
        let busy = try answer(frame, .busy, detail: StoreRefusal.moved.rawValue)
        #expect(next(&forwards, busy) == .ended(.init(forward, .failed(.unavailable))))
    }

    /// However long a value is, a slow link gets it through.
    @Test func eachFrameHasItsOwnTime() throws {
        var forwards = WriteForwards()
        let value = [UInt8](repeating: 1, count: WireLimits.chunkBytesMax + 5)
        let frame = forwards.begin(try forward(.put(value)), to: endpoint, now: start)
        let due = try #require(forwards.nextDeadline)
        let before = due.reversed(by: .milliseconds(1))
        _ = next(&forwards, try answer(frame, .received), now: before)
        #expect(forwards.timeIsUp(now: due).ended.isEmpty)
    }

    @Test func anErrorIsNoEndOfTheWrite() throws {
        var forwards = WriteForwards()
        let forward = try forward(.put([1]))
        let frame = forwards.begin(forward, to: endpoint, now: start)
        let request = try frame.withUnsafeBytes { try MessageView(decoding: $0).requestID }
        var writer = ByteWriter()
        ErrorReply(.busy, "later").encode(requestID: request, into: &writer)
        #expect(
            next(&forwards, writer.array) == .ended(.init(forward, .failed(.unavailable))))
    }

    @Test func silenceAndABrokenConnectionEndIt() throws {
        var forwards = WriteForwards()
        let forward = try forward(.put([1]))
        _ = forwards.begin(forward, to: endpoint, now: start)
        let due = try #require(forwards.nextDeadline)
        #expect(forwards.timeIsUp(now: start).ended.isEmpty)
        let late = forwards.timeIsUp(now: due)
        #expect(late.ended == [.init(forward, .failed(.timedOut))])
        #expect(late.silent == [endpoint])
        _ = forwards.begin(forward, to: endpoint, now: start)
        #expect(forwards.broke("tcp://127.0.0.1:2").isEmpty)
        #expect(forwards.broke(endpoint) == [.init(forward, .failed(.unreachable))])
        #expect(forwards.nextDeadline == nil)
    }
}
