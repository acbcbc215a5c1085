import CPlatform
import CZeroMQ

/// Where a socket reports the connections that it accepts: any thread may listen there.
public struct AcceptSource: Sendable {
    let place: String
}

/// A connection that a socket has accepted a moment ago.
public struct AcceptedConnection: Hashable, Sendable {
    public let descriptor: CInt
    /// At which TCP port it came in; 0 of other transports.
    public let port: UInt16

    public init(descriptor: CInt, port: UInt16) {
        self.descriptor = descriptor
        self.port = port
    }

    /// Ends it. If it has ended by itself and its descriptor means something else by now, that is
    /// left alone.
    ///
    /// - Returns: whether it was there.
    public func cut() -> Bool { martlet_connection_end(descriptor, port) }
}

/// Listens to what one socket reports. Belongs to the thread that made it.
public final class AcceptMonitor {
    /// What was heard.
    public enum Report: Hashable, Sendable {
        case accepted(AcceptedConnection)
        /// The socket was closed: nothing more comes.
        case ended
    }

    let socket: Socket
    private var frame = Frame()

    /// Begins to listen. What was reported before is heard, too.
    public init(_ context: Context, of source: AcceptSource) throws(ZeroMQError) {
        socket = try Socket(context, .pair)
        // libzmq's own thread reports, and waits where there is a bound.
        try SocketOptionPayload.int32(0).write(ZMQ_RCVHWM, to: socket.handle)
        let handle = socket.handle
        try ZeroMQError.calling(during: .monitoring) { zmq_connect(handle, source.place) }
    }

    /// - Returns: `nil` if nothing is waiting.
    public func next() throws(ZeroMQError) -> Report? {
        while try socket.receive(into: &frame) {
            // An event and its value; then the endpoint where it happened.
            guard frame.bytes.count >= 6 else { continue }
            let event = CInt(frame.bytes.loadUnaligned(as: UInt16.self))
            let value = frame.bytes.loadUnaligned(fromByteOffset: 2, as: CInt.self)
            var port: UInt16 = 0
            while frame.hasMore, try socket.receive(into: &frame) {
                port = Self.port(of: String(decoding: frame.bytes, as: UTF8.self))
            }
            if event == ZMQ_EVENT_MONITOR_STOPPED { return .ended }
            guard event == ZMQ_EVENT_ACCEPTED else { continue }
            return .accepted(AcceptedConnection(descriptor: value, port: port))
        }
        return nil
    }

    private static func port(of endpoint: String) -> UInt16 {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else {
            return 0
        }
        return UInt16(endpoint[endpoint.index(after: colon)...]) ?? 0
    }
}

@available(*, unavailable, message: "a monitor stays on the thread that made it")
extension AcceptMonitor: Sendable {}

extension Socket {
    /// Has each connection that this socket accepts reported, until it is closed. To be listened to
    /// before it is bound: libzmq waits for a listener.
    public func reportAccepted() throws(ZeroMQError) -> AcceptSource {
        let source = AcceptSource(place: "inproc://accepted-\(UInt(bitPattern: handle))")
        try ZeroMQError.calling(during: .monitoring) {
            zmq_socket_monitor(
                handle, source.place, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_MONITOR_STOPPED)
        }
        return source
    }
}

extension Poller {
    /// Watches a monitor, which must outlive the poller.
    public mutating func add(_ monitor: AcceptMonitor) -> PollIndex {
        add(monitor.socket, for: .readable)
    }
}
