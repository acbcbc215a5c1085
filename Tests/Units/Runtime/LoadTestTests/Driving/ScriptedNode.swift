import ByteCoding
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// What the nodes of a ``ScriptedCluster`` do beside answering.
struct NodeScript: Sendable {
    var kind = TopologyReport.Kind.sharded
    var nodeCount = 1
    /// Once, so long after the first request, it does nothing for so long.
    var standstill: (after: Duration, length: Duration)?
    /// It is gone after so many lookups.
    var lookupsMax = Int.max
    /// How long every receipt is held back.
    var receiptDelay = Duration.zero
    /// Of two nodes that share keys by slots, the first one has all until it was asked for so many;
    /// then the second one has. From then on the first one answers that they are not its own.
    var movesAfter: Int?
}

/// What a node of a ``ScriptedCluster`` was asked.
struct NodeSeen: Sendable {
    /// Keys in each message.
    var gets: [Int] = []
    var sets: [Int] = []
    var invalidations: [Int] = []
    /// Who sent lookups: one for each connection.
    var askers: Set<[UInt8]> = []
}

/// A node that finds everything, on a real socket and a thread of its own.
struct ScriptedNode: ~Copyable {
    private let socket: Socket
    private let script: NodeScript
    private let endpoints: [String]
    private let seen: Guarded<NodeSeen>
    private var peer = Frame()
    private var frame = Frame()
    private var writer = ByteWriter(capacityBytes: 65_536)
    private var held: [(due: Instant, peer: [UInt8], answer: [UInt8])] = []
    private var firstAt: Instant?
    private var hasStood = false
    private let isFirst: Bool
    private var version: UInt32
    private var lookupCount = 0

    init(
        _ socket: consuming Socket, _ script: NodeScript, _ endpoints: [String],
        isFirst: Bool, _ seen: Guarded<NodeSeen>
    ) {
        self.isFirst = isFirst
        version = isFirst || script.movesAfter == nil ? 1 : 2
        self.socket = socket
        self.script = script
        self.endpoints = endpoints
        self.seen = seen
    }

    mutating func run() throws {
        var poller = Poller()
        _ = poller.add(socket, for: .readable)
        while lookupCount < script.lookupsMax {
            _ = try poller.wait(timeout: .milliseconds(5))
            try standStill()
            try sendHeld()
            while try socket.receive(into: &peer) {
                guard peer.hasMore, try socket.receive(into: &frame) else { continue }
                try answer()
            }
        }
    }

    /// It takes nothing and answers nothing meanwhile: what is tested is that this shows.
    private mutating func standStill() throws {
        guard let wanted = script.standstill, !hasStood, let firstAt else { return }
        guard MonotonicClock.now > firstAt.advanced(by: wanted.after) else { return }
        hasStood = true
        var nothing = Poller()
        _ = nothing.add(try Wakeup())
        _ = try nothing.wait(timeout: wanted.length)
    }

    private mutating func answer() throws {
        writer.removeAll()
        let message = try MessageView(decoding: frame.bytes)
        let asker = [UInt8](peer.bytes)
        let count = message.count
        switch message.type {
        case .get:
            if firstAt == nil { firstAt = MonotonicClock.now }
            lookupCount += count
            seen.withLock {
                $0.gets.append(count)
                $0.askers.insert(asker)
            }
            let hasMoved = isFirst && script.movesAfter.map { lookupCount > $0 } ?? false
            if hasMoved { version = 2 }
            results(message, hasMoved ? .busy : .hit)
        case .set:
            seen.withLock { $0.sets.append(count) }
            results(message, .stored)
        case .delete: results(message, .removed)
        case .invalidate:
            seen.withLock { $0.invalidations.append(count) }
            Receipt(position: .none, wait: .none, isComplete: true, nearCacheMilliseconds: 0)
                .encode(requestID: message.requestID, into: &writer)
            if script.receiptDelay > .zero {
                let due = MonotonicClock.now.advanced(by: script.receiptDelay)
                held.append((due, asker, Array(writer.bytes)))
                return
            }
        case .topology: topology(message)
        default: return
        }
        guard try socket.send(&peer, more: true) == .sent else { return }
        _ = try socket.send(writer.bytes, more: false)
    }

    private mutating func sendHeld() throws {
        while let first = held.first, first.due <= MonotonicClock.now {
            held.removeFirst()
            try first.peer.withUnsafeBytes { _ = try socket.send($0, more: true) }
            try first.answer.withUnsafeBytes { _ = try socket.send($0, more: false) }
        }
    }

    private mutating func results(_ message: MessageView, _ status: ResultStatus) {
        let reply = MessageWriter(.results, requestID: message.requestID, into: &writer)
        Proof(
            position: .none, state: .live, leaseLeftMilliseconds: 1_000, topologyVersion: version
        ).encode(into: &writer)
        for _ in 0..<message.count {
            let start = writer.count
            OperationResult.append(status, to: &writer)
            guard status == .hit else { continue }
            [1, 2, 3].withUnsafeBytes { OperationResult.appendValue($0, at: start, to: &writer) }
        }
        reply.finish(&writer, count: message.count)
    }

    private mutating func topology(_ message: MessageView) {
        let nodes = endpoints.enumerated().compactMap { index, endpoint in
            NodeID("n\(index + 1)").map {
                TopologyReport.Node(id: $0, state: .live, endpoints: [endpoint])
            }
        }
        var report = TopologyReport(
            version: version, kind: script.kind, controlEndpoint: endpoints.first ?? "",
            liveEndpoint: "", nodes: nodes)
        if script.movesAfter != nil { report.slots = owners(nodes.map(\.id)) }
        report.encode(requestID: message.requestID, into: &writer)
    }

    /// All slots are of the node with the number of this version.
    private func owners(_ nodes: [NodeID]) -> SlotTable? {
        let rows = nodes.enumerated().map { index, node in
            SlotChange.Row(
                MemberNumber(UInt16(index + 1)),
                SlotMember(
                    node: node, state: .member, shardCount: 1, weightThousandths: 1_000))
        }
        let owner = SlotOwner(member: MemberNumber(UInt16(version)), shard: 0)
        guard let first = HashSlot(0),
            let run = SlotChange.Run(first: first, count: HashSlot.count, owner: owner)
        else { return nil }
        return SlotTable(
            at: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(UInt64(version) * 2)),
            servedBelow: SequenceNumber(UInt64(version) * 2), rows: rows,
            runs: [(run: run, since: SequenceNumber(UInt64(version) * 2 - 1))])
    }
}
