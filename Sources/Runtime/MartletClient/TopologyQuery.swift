import ByteCoding
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// A request for the topology to one endpoint, over a socket of its own.
final class TopologyQuery {
    enum Answer {
        case topology(Topology)
        /// From a publisher that does not lead.
        case denied(naming: String?)
        /// It has no topology, or cannot be read.
        case unusable
    }

    let endpoint: String
    private let socket: Socket
    private var isSent = false

    /// - Throws: `EndpointError` if nothing can connect to the endpoint; `ZeroMQError` if there is
    ///   no socket left.
    init(_ endpoint: String, _ context: Context) throws {
        self.endpoint = endpoint
        socket = try Socket(context, .dealer)
        try socket.connect(Endpoint(endpoint, for: .connecting))
    }

    /// Sends the request as soon as there is a connection, and takes the answer.
    ///
    /// - Returns: `nil` if there is none yet.
    func answer(into frame: inout Frame) throws(ZeroMQError) -> Answer? {
        if !isSent {
            var writer = ByteWriter(capacityBytes: 64)
            MessageWriter(.topology, requestID: 1, into: &writer).finish(&writer, count: 0)
            isSent = try socket.send(writer.bytes, more: false) == .sent
        }
        guard isSent, try socket.receive(into: &frame) else { return nil }
        do throws(WireRefusal) {
            return try Self.answer(MessageView(decoding: frame.bytes))
        } catch {
            return .unusable
        }
    }

    private static func answer(_ message: MessageView) throws(WireRefusal) -> Answer {
        switch message.type {
        case .topologyReport: .topology(Topology(try TopologyReport(decoding: message)))
        case .notLeader: .denied(naming: RequestRouter.named(in: message))
        default: .unusable
        }
    }

    /// Waits until ``answer(into:)`` has something to do, at most until that moment.
    func wait(until moment: Instant) throws(ZeroMQError) {
        var poller = Poller()
        _ = poller.add(socket, for: isSent ? .readable : .writable)
        _ = try poller.wait(timeout: moment.elapsed(since: MonotonicClock.now))
    }
}
