import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// A few nodes of one shard each, and what is between them and their origin, in a test's hands:
/// questions and answers travel when the test says so.
final class PeerStage {
    /// A node: its shard, and the peers that asks its peers.
    final class Node {
        let name: String
        let endpoint: String
        var shard: ShardHarness
        var peers: PeerLoads
        var actions: [PeerLoads.Action] = []
        /// Hears and says nothing.
        var isStopped = false

        init(_ number: Int, _ id: NodeID) {
            name = id.name
            endpoint = "tcp://127.0.0.1:\(1_000 + number)"
            shard = ShardHarness(isReplicated: true)
            peers = PeerLoads(node: id)
        }
    }

    /// What the origin is asked.
    struct Question {
        var node: Int
        var ticket: LoadTicket
        var request: OriginRequest
        var urgency: LoadUrgency
    }

    /// Frames of a peer carry where they come from.
    private struct Parcel {
        var from: Int
        var to: Int
        var frame: [UInt8]
        var isReply: Bool
    }

    var nodes: [Node] = []
    var asked: [Question] = []
    var answers: [[ShardHarness.Outcome]]
    private var parcels: [Parcel] = []
    private let ids: [NodeID]

    init(
        _ count: Int,
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) {
        ids = (1...count).map { number in
            guard let id = NodeID("n\(number)") else { preconditionFailure("that is a name") }
            return id
        }
        answers = Array(repeating: [], count: count)
        for (index, id) in ids.enumerated() { nodes.append(Node(index, id)) }
        for index in nodes.indices {
            nodes[index].shard.readThrough(change)
            setTopology(of: index, Array(0..<count))
        }
    }

    /// Which nodes that one believes to be there.
    func setTopology(of index: Int, _ members: [Int]) {
        let report = TopologyReport(
            version: 1, kind: .replicated, controlEndpoint: "", liveEndpoint: "",
            nodes: members.map {
                TopologyReport.Node(id: ids[$0], state: .live, endpoints: [nodes[$0].endpoint])
            })
        let node = nodes[index]
        node.peers.setTopology(Topology(report), now: node.shard.now, into: &node.actions)
        perform(index)
    }

    /// A key whose owner among all nodes is that one.
    func key(ownedBy owner: Int) -> String {
        let topology = Topology(
            TopologyReport(
                version: 1, kind: .replicated, controlEndpoint: "", liveEndpoint: "",
                nodes: nodes.indices.map {
                    TopologyReport.Node(
                        id: ids[$0], state: .live, endpoints: [nodes[$0].endpoint])
                }))
        for number in 0..<10_000 {
            guard let key = CacheKey("k\(number)") else { continue }
            if topology.owner(of: key, in: .default)?.node == ids[owner] { return "k\(number)" }
        }
        preconditionFailure("every node owns some key")
    }

    // MARK: Doing

    /// A client asks a node.
    func get(
        _ key: String, at index: Int, _ options: GetOperation.Options = .details,
        _ change: (inout MessageWriter, inout ByteWriter) -> Void = { _, _ in }
    ) {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 1, into: &writer)
        change(&message, &writer)
        Array(key.utf8).withUnsafeBytes {
            GetOperation.append(key: $0, options: options, to: &writer)
        }
        message.finish(&writer, count: 1)
        take(nodes[index].shard.sendFrames(writer.array, from: ShardHarness.peer), at: index)
        performEffects(index)
    }

    /// Everything that is on its way arrives, and what that brings about, until nothing moves.
    func settle(steps: Int = .max) {
        var left = steps
        while !parcels.isEmpty, left > 0 {
            left -= 1
            let parcel = parcels.removeFirst()
            guard !nodes[parcel.to].isStopped, !nodes[parcel.from].isStopped else { continue }
            deliver(parcel)
        }
    }

    /// The origin answers the first thing that it was asked and that nobody has answered.
    func answer(_ outcome: LoadOutcome) {
        guard !asked.isEmpty else {
            Issue.record("nobody has asked the origin")
            return
        }
        let question = asked.removeFirst()
        end(question.ticket, outcome, at: question.node)
        settle()
    }

    func advance(by duration: Duration) {
        for index in nodes.indices where !nodes[index].isStopped {
            let node = nodes[index]
            node.shard.advance(by: duration)
            node.peers.timeIsUp(now: node.shard.now, into: &node.actions)
            perform(index)
            take(node.shard.finishWaitingFrames(), at: index)
            performEffects(index)
        }
        settle()
    }

    /// A node is killed: its connections break.
    func kill(_ index: Int) {
        nodes[index].isStopped = true
        asked.removeAll { $0.node == index }
        for other in nodes.indices where !nodes[other].isStopped {
            let node = nodes[other]
            node.peers.broke(nodes[index].endpoint, now: node.shard.now, into: &node.actions)
            perform(other)
        }
        settle()
    }

    func invalidate(_ scope: Scope, at indices: [Int]? = nil) {
        for index in indices ?? Array(nodes.indices) {
            _ = nodes[index].shard.invalidate(scope)
            take(nodes[index].shard.finishWaitingFrames(), at: index)
            performEffects(index)
        }
        settle()
    }

    // MARK: Between them

    private func deliver(_ parcel: Parcel) {
        let node = nodes[parcel.to]
        if parcel.isReply {
            parcel.frame.withUnsafeBytes {
                node.peers.received(
                    $0, from: nodes[parcel.from].endpoint, now: node.shard.now,
                    into: &node.actions)
            }
            perform(parcel.to)
        } else {
            let frames = node.shard.sendFrames(
                parcel.frame, from: ShardHarness.makePeer(UInt8(100 + parcel.from)))
            take(frames, at: parcel.to)
            performEffects(parcel.to)
        }
    }

    /// Replies go to who asked: a client's are kept, a peer's travel.
    private func take(_ frames: [ShardHarness.ReplyFrame], at index: Int) {
        for frame in frames {
            if let peer = nodes.indices.first(where: {
                ShardHarness.makePeer(UInt8(100 + $0)) == frame.peer
            }) {
                parcels.append(Parcel(from: index, to: peer, frame: frame.bytes, isReply: true))
            } else if case .results(_, let outcomes) = ShardHarness.decodeFrame(frame.bytes) {
                answers[index] += outcomes
            }
        }
    }

    private func performEffects(_ index: Int) {
        let node = nodes[index]
        let effects = node.shard.effects
        node.shard.effects.removeAll()
        for effect in effects {
            switch effect {
            case .load(let load):
                node.peers.make(
                    load, Self.ticket(load.number), now: node.shard.now, into: &node.actions)
            case .leavePeer(let number):
                node.peers.leave(Self.ticket(number), now: node.shard.now, into: &node.actions)
            case .hasten(let number): _ = node.peers.hasten(Self.ticket(number))
            default: break
            }
        }
        perform(index)
    }

    private func perform(_ index: Int) {
        let node = nodes[index]
        let actions = node.actions
        node.actions.removeAll()
        for action in actions {
            switch action {
            case .send(let endpoint, let frame), .probe(let endpoint, let frame):
                guard let peer = nodes.firstIndex(where: { $0.endpoint == endpoint }) else {
                    continue
                }
                parcels.append(Parcel(from: index, to: peer, frame: frame, isReply: false))
            case .close: break
            case .askOrigin(let ticket, let request, let urgency):
                asked.append(
                    Question(node: index, ticket: ticket, request: request, urgency: urgency))
            case .answer(let ticket, let outcome): end(ticket, outcome, at: index)
            }
        }
    }

    private func end(_ ticket: LoadTicket, _ outcome: LoadOutcome, at index: Int) {
        let node = nodes[index]
        node.shard.endLoad(ticket.number, outcome)
        take(node.shard.finishWaitingFrames(), at: index)
        performEffects(index)
    }

    private static func ticket(_ number: UInt64) -> LoadTicket {
        LoadTicket(shard: 0, number: number)
    }
}
