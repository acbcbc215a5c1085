import ByteCoding
import CacheModel
import CacheWire
import PublisherCore
import PublisherServer
import TestSupport
import ZeroMQ

/// Lets `step` run again and again until `isDone`.
func drive(
    _ what: String, until isDone: () throws -> Bool, _ step: () throws -> Void
) throws {
    let deadline = ContinuousClock.now + patience
    // Nobody rings this bell: it is a pause between two looks.
    var pause = Poller()
    _ = pause.add(try Wakeup())
    while try !isDone() {
        guard ContinuousClock.now < deadline else { throw GaveUp("never happened: \(what)") }
        try step()
        _ = try pause.wait(timeout: .milliseconds(1))
    }
}

/// Somebody who asks on the admin channel.
final class Asker {
    private let socket: Socket
    private var frame = Frame()
    private(set) var replies: [[UInt8]] = []

    init(_ context: Context, _ endpoints: PublisherEndpoints) throws {
        socket = try Socket(context, .dealer)
        try socket.connect(endpoints.control)
        try drive("a connection", until: { try socket.isWritable }, {})
    }

    func send(_ bytes: [UInt8]) throws {
        let outcome = try bytes.withUnsafeBytes { bytes throws(ZeroMQError) in
            try socket.send(bytes, more: false)
        }
        guard outcome == .sent else { throw GaveUp("a request was not sent") }
    }

    func send(_ encode: (inout ByteWriter) -> Void) throws {
        var writer = ByteWriter()
        encode(&writer)
        try send(writer.array)
    }

    func invalidate(_ wait: WaitMode, timeout: UInt32 = 20_000, count: UInt64 = 1) throws {
        for number in 0..<count {
            let request = InvalidateRequest(
                scopes: [Scope(.everything)], wait: wait, timeoutMilliseconds: timeout,
                operation: .none)
            try send { request.encode(requestID: number, into: &$0) }
        }
    }

    func ask(_ type: MessageType) throws {
        try send { writer in
            let message = MessageWriter(type, requestID: 7, into: &writer)
            message.finish(&writer, count: 0)
        }
    }

    func turn() throws {
        while try socket.receive(into: &frame) { replies.append(Array(frame.bytes)) }
    }

    /// Waits for `count` replies, letting `step` run meanwhile, and takes them.
    func awaitReplies(_ count: Int = 1, _ step: () throws -> Void = {}) throws -> [[UInt8]] {
        try drive("\(count) replies", until: { replies.count >= count }) {
            try turn()
            try step()
        }
        defer { replies = [] }
        return replies
    }

    func receipt(_ step: () throws -> Void = {}) throws -> Receipt {
        guard let frame = try awaitReplies(1, step).first else { throw GaveUp("no reply") }
        return try frame.withUnsafeBytes {
            let message = try MessageView(decoding: $0)
            guard message.type == .receipt else { throw GaveUp("\(message.type)") }
            return try Receipt(decoding: message)
        }
    }
}
