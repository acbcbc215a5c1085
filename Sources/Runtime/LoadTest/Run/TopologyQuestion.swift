import ByteCoding
import CacheModel
import CacheWire
import MartletClient
import Threading
import ZeroMQ

/// Asks all endpoints at once for the topology; the first answer counts.
struct TopologyQuestion: ~Copyable {
    private final class Line {
        let socket: Socket
        var isSent = false

        init(_ context: Context, _ endpoint: String) throws {
            socket = try Socket(context, .dealer)
            try socket.connect(Endpoint(endpoint, for: .connecting))
        }
    }

    private let lines: [Line]
    private var writer = ByteWriter(capacityBytes: 64)
    private var frame = Frame()

    private init(_ context: Context, _ endpoints: [String]) throws {
        lines = try endpoints.map { try Line(context, $0) }
        MessageWriter(.topology, requestID: 1, into: &writer).finish(&writer, count: 0)
    }

    /// - Returns: `nil` if no endpoint answers within `timeout`, or one is malformed.
    static func layout(
        _ endpoints: [String], keys: ClientKeys? = nil, timeout: Duration
    ) -> ClusterLayout? {
        do {
            var question = try TopologyQuestion(Context(keys: keys?.pair), endpoints)
            return try question.ask(until: MonotonicClock.now.advanced(by: timeout))
        } catch {
            // The connection that follows reports the cause.
            return nil
        }
    }

    private mutating func ask(until deadline: Instant) throws -> ClusterLayout? {
        var poller = Poller()
        let places = lines.map { poller.add($0.socket, for: .writable) }
        while true {
            let now = MonotonicClock.now
            guard now < deadline else { return nil }
            _ = try poller.wait(timeout: min(deadline.elapsed(since: now), .milliseconds(100)))
            for (line, place) in zip(lines, places) {
                if line.isSent {
                    if let layout = try answer(over: line) { return layout }
                } else if try line.socket.send(writer.bytes, more: false) == .sent {
                    line.isSent = true
                    poller.watch(place, for: .readable)
                }
            }
        }
    }

    private mutating func answer(over line: Line) throws -> ClusterLayout? {
        guard try line.socket.receive(into: &frame) else { return nil }
        let message = try MessageView(decoding: frame.bytes)
        guard message.type == .topologyReport else { return nil }
        return ClusterLayout(try TopologyReport(decoding: message))
    }
}
