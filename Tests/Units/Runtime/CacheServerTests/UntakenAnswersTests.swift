import ByteCoding
import CacheWire
import TestSupport
import Testing
import ZeroMQ

/// A node and a client that does not take its replies.
@Suite(.timeLimit(.minutes(3))) struct UntakenAnswersTests {
    /// What one message was answered.
    private enum Answer {
        case busy
        case results(ResultStatus?)
        case other
    }

    private final class Line {
        let socket: Socket
        var frame = Frame()

        init(_ socket: consuming Socket) { self.socket = socket }
    }

    @Test func aWriteThatWasDoneIsNotAnsweredBusy() throws {
        let node = try RunningNode(
            try KernelTree(), memory: 256 << 20, shards: 1, log: LinesLogged())
        defer { node.stop() }
        try node.fill(bytes: 100_000)
        let line = Line(try node.connect(to: 0, repliesMax: 1))
        // More than twice what a peer may leave untaken, and a store now and then.
        let count: UInt64 = 1_200
        for id in 1...count {
            try Self.send(id % 12 == 0 ? Self.store(id) : Self.read("k0", id), over: line)
        }
        // What is asked last is answered after all of that, and nothing is taken before.
        try node.wait("the reads to be answered") { ($0["gets"] ?? 0) >= count / 12 * 11 }
        try Self.send(Self.status(count + 1), over: line)
        let answers = try Self.receive(until: count + 1, from: line)
        var refused: [UInt64] = []
        for id in stride(from: 12, through: count, by: 12) {
            if case .busy? = answers[id] { refused.append(id) }
        }
        #expect(!refused.isEmpty, "the client has left no reply untaken")
        for (index, id) in refused.enumerated() {
            let question = count + 2 + UInt64(index)
            try Self.send(Self.read("w\(id)", question), over: line)
            let found = try Self.receive(until: question, from: line)[question]
            guard case .results(.miss)? = found else {
                Issue.record("the store of w\(id) was answered BUSY, and it was done")
                break
            }
        }
    }

    private static func message(
        _ type: MessageType, _ id: UInt64, count: Int, _ body: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        var writer = ByteWriter()
        let message = MessageWriter(type, requestID: id, into: &writer)
        body(&writer)
        message.finish(&writer, count: count)
        return writer.array
    }

    private static func read(_ key: String, _ id: UInt64) -> [UInt8] {
        message(.get, id, count: 1) { writer in
            Array(key.utf8).withUnsafeBytes {
                GetOperation.append(key: $0, options: [], to: &writer)
            }
        }
    }

    private static func store(_ id: UInt64) -> [UInt8] {
        message(.set, id, count: 1) { writer in
            Array("w\(id)".utf8).withUnsafeBytes { key in
                SetOperation.append(key: key, value: key, .init(), to: &writer)
            }
        }
    }

    private static func status(_ id: UInt64) -> [UInt8] {
        message(.status, id, count: 0) { _ in }
    }

    private static func send(_ bytes: [UInt8], over line: Line) throws {
        let end = ContinuousClock.now + patience
        var poller = Poller()
        _ = poller.add(line.socket, for: .writable)
        while true {
            let outcome = try bytes.withUnsafeBytes { bytes throws(ZeroMQError) in
                try line.socket.send(bytes, more: false)
            }
            if outcome == .sent { return }
            guard ContinuousClock.now < end else { throw GaveUp("a message cannot be sent") }
            _ = try poller.wait(timeout: .milliseconds(100))
        }
    }

    /// Takes replies up to the one to that message.
    private static func receive(
        until last: UInt64, from line: Line
    ) throws -> [UInt64: Answer] {
        var answers: [UInt64: Answer] = [:]
        var poller = Poller()
        _ = poller.add(line.socket, for: .readable)
        let end = ContinuousClock.now + patience
        while answers[last] == nil {
            guard ContinuousClock.now < end else { throw GaveUp("no reply to message \(last)") }
            _ = try poller.wait(timeout: .milliseconds(100))
            while answers[last] == nil, try line.socket.receive(into: &line.frame) {
                let reply = try MessageView(decoding: line.frame.bytes)
                answers[reply.requestID] = try answer(reply)
            }
        }
        return answers
    }

    private static func answer(_ reply: MessageView) throws -> Answer {
        switch reply.type {
        case .error: return try ErrorReply(decoding: reply).knownCode == .busy ? .busy : .other
        case .results:
            var reader = ByteReader(reply.body)
            _ = try Proof(decoding: &reader)
            return .results(try OperationResult(decoding: &reader).status)
        default: return .other
        }
    }
}
