import ByteCoding
import CacheModel
import CacheWire
import ZeroMQ

/// One shard of an echo, on its own thread.
struct EchoLoop: ~Copyable {
    private static let node = NodeID("echo")
    private let socket: Socket
    /// The endpoints of all shards, for the topology that a generator asks for first.
    private let endpoints: [String]
    private var peer = Frame()
    private var frame = Frame()
    private var writer = ByteWriter(capacityBytes: 65_536)
    private let value: [UInt8]

    init(_ socket: consuming Socket, _ endpoints: [String], valueBytes: Int) {
        self.socket = socket
        self.endpoints = endpoints
        value = Array(repeating: UInt8(ascii: "v"), count: valueBytes)
    }

    mutating func run() throws(ZeroMQError) {
        var poller = Poller()
        _ = poller.add(socket, for: .readable)
        while true {
            _ = try poller.wait(timeout: nil)
            while try socket.receive(into: &peer) {
                guard peer.hasMore, try socket.receive(into: &frame) else { continue }
                guard answer() else { continue }
                guard try socket.send(&peer, more: true) == .sent else { continue }
                _ = try socket.send(writer.bytes, more: false)
            }
        }
    }

    /// Writes the answer.
    ///
    /// - Returns: whether there is one.
    private mutating func answer() -> Bool {
        writer.removeAll()
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame.bytes)
            switch message.type {
            case .get: results(message, .hit)
            case .set: results(message, .stored)
            case .delete: results(message, .removed)
            case .invalidate: receipt(message)
            case .topology: topology(message)
            default: return false
            }
            return true
        } catch {
            return false
        }
    }

    private mutating func results(_ message: MessageView, _ status: ResultStatus) {
        let reply = MessageWriter(.results, requestID: message.requestID, into: &writer)
        Proof(
            position: .none, state: .live, leaseLeftMilliseconds: 1_000, topologyVersion: 1
        ).encode(into: &writer)
        for _ in 0..<message.count {
            let start = writer.count
            OperationResult.append(status, to: &writer)
            guard status == .hit else { continue }
            value.withUnsafeBytes { OperationResult.appendValue($0, at: start, to: &writer) }
        }
        reply.finish(&writer, count: message.count)
    }

    private mutating func receipt(_ message: MessageView) {
        Receipt(position: .none, wait: .none, isComplete: true, nearCacheMilliseconds: 0)
            .encode(requestID: message.requestID, into: &writer)
    }

    private mutating func topology(_ message: MessageView) {
        let nodes = Self.node.map {
            [TopologyReport.Node(id: $0, state: .live, endpoints: endpoints)]
        }
        TopologyReport(
            version: 1, kind: .sharded, controlEndpoint: endpoints.first ?? "", liveEndpoint: "",
            nodes: nodes ?? []
        ).encode(requestID: message.requestID, into: &writer)
    }
}
