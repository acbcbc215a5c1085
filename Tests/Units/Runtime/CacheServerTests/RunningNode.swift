import ByteCoding
import CacheConfiguration
import CacheModel
import CacheNodeCore
import CacheServer
import CacheWire
import Foundation
import Logging
import PublisherCore
import PublisherServer
import TestSupport
import Threading
import ZeroMQ

/// A publisher and its one node in this process, and somebody who asks the node's shards.
final class RunningNode {
    private let publisher: PublisherService
    private let server: NodeServer
    private let context: Context
    private let lines: [Line]
    private var requestID: UInt64 = 0

    /// The way to one shard.
    private final class Line {
        let socket: Socket
        var frame = Frame()

        init(_ context: Context, to endpoint: String) throws {
            socket = try Socket(context, .dealer)
            try socket.set(.linger, to: .zero)
            try socket.connect(try Endpoint(endpoint))
        }
    }

    init(
        _ tree: KernelTree, memory: Int, shards: Int, log: LinesLogged,
        change: (inout NodeServerOptions) -> Void = { _ in }
    ) throws {
        guard let node = NodeID("n1") else { throw GaveUp("n1 is a name") }
        var plan = PublisherPlan(nodes: [.init(id: node, shards: shards)])
        plan.configuration = ConfigReport(
            revision: 1, text: "version: 1\nnodes: [{id: n1}]\n")
        var publisherOptions = PublisherOptions(
            control: try Endpoint("tcp://127.0.0.1:0"), plan: plan)
        publisherOptions.live = try Endpoint("tcp://127.0.0.1:0")
        publisher = PublisherService(
            options: publisherOptions,
            logger: Logger(label: "publisher") { _ in SwiftLogNoOpLogHandler() })
        let bound = try publisher.start()
        var options = NodeServerOptions(
            node: node,
            endpoints: try (0..<shards).map { _ in
                try Endpoint("tcp://127.0.0.1:*", for: .binding)
            },
            controlEndpoint: bound.control, liveEndpoint: bound.live, memoryBytes: memory)
        options.kernelRoot = tree.root.path
        change(&options)
        server = try NodeServer.start(options, logger: log.logger)
        context = try Context()
        let context = context
        lines = try server.endpoints.map { try Line(context, to: $0) }
    }

    func stop() {
        server.stop()
        publisher.stop()
    }

    /// What the node reports to monitoring systems.
    func report() throws -> NodeReport? {
        let answer = Guarded<NodeReport?>(nil)
        server.takeReport { report in answer.withLock { $0 = report as? NodeReport } }
        try waitUntil("a report") { answer.withLock { $0 != nil } }
        return answer.withLock { $0 }
    }

    /// Stores so much, in values of 100 KB, on all shards alike.
    func fill(bytes: Int) throws {
        try wait("a lease") { ($0["lease_left_ms"] ?? 0) > 0 }
        // A node that has a lease may not know yet that the members are settled.
        try waitUntil("a store that is taken") {
            try store(0)
            return try figures()["entries"] == 1
        }
        for number in 1..<max(1, bytes / Self.valueBytes) { try store(number) }
    }

    private static let valueBytes = 100_000

    private func store(_ number: Int) throws {
        guard let name = CacheKey("k\(number)") else { throw GaveUp("k1 is a key") }
        let value = [UInt8](repeating: 7, count: Self.valueBytes)
        let reply = try ask(owner(of: name), .set, count: 1) { writer in
            name.bytes.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    SetOperation.append(
                        key: key, value: value, SetOperation.Description(), to: &writer)
                }
            }
        }
        guard reply.type == .results else { throw GaveUp("a store was not answered") }
    }

    /// The shard whose key it is: no other takes it.
    private func owner(of key: CacheKey) -> Int {
        let shards = UInt16(lines.count)
        let members = NodeID("n1").map {
            [Membership.Member(node: $0, shards: shards, weightThousandths: 1_000)]
        }
        return Topology(members ?? []).owner(of: key, in: .default).map { Int($0.shard) } ?? 0
    }

    /// What STATUS says, summed over the shards.
    func figures() throws -> [String: UInt64] {
        var sums: [String: UInt64] = [:]
        for shard in lines.indices {
            let report = try ask(shard, .status, count: 0) { _ in }
            for figure in report.figures where figure.name != "incarnation" {
                sums[figure.name, default: 0] += figure.value
            }
        }
        return sums
    }

    func wait(_ what: String, until holds: ([String: UInt64]) -> Bool) throws {
        try waitUntil(what) { holds(try figures()) }
    }

    /// One more connection to a shard, of somebody who takes no more replies than these before
    /// they are received.
    func connect(to shard: Int, repliesMax: Int) throws -> Socket {
        let socket = try Socket(context, .dealer)
        try socket.set(.linger, to: .zero)
        try socket.set(.receiveHighWaterMark, to: .messages(repliesMax))
        try socket.connect(try Endpoint(server.endpoints[shard]))
        return socket
    }

    private func ask(
        _ shard: Int, _ type: MessageType, count: Int, _ body: (inout ByteWriter) -> Void
    ) throws -> (type: MessageType, figures: [StatusReport.Figure]) {
        requestID += 1
        var writer = ByteWriter()
        let message = MessageWriter(type, requestID: requestID, into: &writer)
        body(&writer)
        message.finish(&writer, count: count)
        let bytes = writer.array
        let line = lines[shard]
        try waitUntil("a request that can be sent") {
            try bytes.withUnsafeBytes { bytes throws(ZeroMQError) in
                try line.socket.send(bytes, more: false)
            } == .sent
        }
        var poller = Poller()
        _ = poller.add(line.socket, for: .readable)
        _ = try poller.wait(timeout: patience)
        try waitUntil("a reply") { try line.socket.receive(into: &line.frame) }
        let reply = try MessageView(decoding: line.frame.bytes)
        guard reply.type == .statusReport else { return (reply.type, []) }
        return (reply.type, try StatusReport(decoding: reply).figures)
    }
}
