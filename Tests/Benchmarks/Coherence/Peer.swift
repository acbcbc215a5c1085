import CacheWire
import TestSupport
import ZeroMQ

/// A connection to a publisher or a shard, spoken to in frames by one thread.
final class Peer {
    private let socket: Socket
    private var frame = Frame()
    private var poller = Poller()

    init(_ context: Context, to endpoint: String) throws {
        socket = try Socket(context, .dealer)
        try socket.set(.sendHighWaterMark, to: 100_000)
        try socket.connect(Endpoint(endpoint))
        _ = poller.add(socket, for: .readable)
    }

    /// Sends, and waits for room at most ten seconds.
    func send(_ bytes: [UInt8]) throws {
        let deadline = Time.now + 10_000_000_000
        while try bytes.withUnsafeBytes({ try socket.send($0, more: false) }) != .sent {
            guard Time.now < deadline else { throw GaveUp("nobody takes what is sent") }
            Time.pause(nanoseconds: 50_000)
        }
    }

    func watch(with poller: inout Poller) { _ = poller.add(socket, for: .readable) }

    /// Takes a frame if one is there, and lets `body` read it.
    ///
    /// - Returns: `nil` if none was there.
    func take<Value>(_ body: (MessageView) throws -> Value) throws -> Value? {
        guard try socket.receive(into: &frame) else { return nil }
        return try body(try MessageView(decoding: frame.bytes))
    }

    /// Waits for a frame and lets `body` read it.
    func receive<Value>(
        within patience: Duration = .seconds(30), _ body: (MessageView) throws -> Value
    ) throws -> Value {
        let deadline = Time.now + UInt64(patience / .nanoseconds(1))
        while true {
            if let value = try take(body) { return value }
            guard Time.now < deadline else { throw GaveUp("no answer within \(patience)") }
            _ = try poller.wait(timeout: .milliseconds(100))
        }
    }

    /// One question, one answer.
    func ask<Value>(
        _ bytes: [UInt8], within patience: Duration = .seconds(30),
        _ body: (MessageView) throws -> Value
    ) throws -> Value {
        try send(bytes)
        return try receive(within: patience, body)
    }
}
