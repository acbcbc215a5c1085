import CacheModel
import CacheWire
import TestSupport
import Threading
import ZeroMQ

/// Reads that wait at every node for a record that is yet to be published: GET with AT LEAST, sent
/// a little before. Each is answered right after the node's shard has applied the record, so that
/// its arrival is that moment and one way back over loopback.
///
/// A thread of its own asks and listens, so that nobody's sending makes an arrival late.
enum Probes {
    struct Plan: Sendable {
        var nodes: [String]
        var loop: OpenLoop
        /// Every how many records one is waited for.
        var every: Int
        /// The position before that of the first record.
        var base: LogPosition
        /// How long before a record is due the question leaves.
        var lead: UInt64 = 3_000_000
    }

    /// A record's number in the loop, and when a node's answer arrived.
    struct Arrival: Sendable {
        var index: Int
        var at: UInt64
    }

    typealias Outcome = Result<[Arrival], GaveUp>

    static func start(_ plan: Plan, _ context: Context) throws -> OwnedThread<Outcome> {
        try OwnedThread(name: "probes") {
            do {
                return .success(try run(plan, context))
            } catch {
                return .failure(GaveUp("the probes ended: \(error)"))
            }
        }
    }

    private static func run(_ plan: Plan, _ context: Context) throws -> [Arrival] {
        var poller = Poller()
        var peers: [Peer] = []
        for node in plan.nodes {
            let peer = try Peer(context, to: node)
            _ = try peer.ask(Asking.status(), Asking.report)
            peer.watch(with: &poller)
            peers.append(peer)
        }
        var arrivals: [Arrival] = []
        let indices = Array(stride(from: plan.every - 1, to: plan.loop.count, by: plan.every))
        var asked = 0
        let deadline = plan.loop.due(plan.loop.count) + 60_000_000_000
        while arrivals.count < indices.count * peers.count {
            guard Time.now < deadline else { throw GaveUp("records were not applied in time") }
            var patience = Duration.milliseconds(100)
            if asked < indices.count {
                let leavesAt = plan.loop.due(indices[asked]) - plan.lead
                let now = Time.now
                if leavesAt <= now {
                    for peer in peers { try ask(peer, for: indices[asked], plan) }
                    asked += 1
                    continue
                }
                patience = .milliseconds(Int64(min((leavesAt - now) / 1_000_000, 100)))
            }
            _ = try poller.wait(timeout: patience)
            for peer in peers {
                while let arrival = try peer.take(arrival) { arrivals.append(arrival) }
            }
        }
        return arrivals
    }

    private static func ask(_ peer: Peer, for index: Int, _ plan: Plan) throws {
        let sequence = plan.base.sequence.rawValue + 1 + UInt64(index)
        let position = LogPosition(epoch: plan.base.epoch, sequence: SequenceNumber(sequence))
        try peer.send(
            Asking.get(Asking.shortKey(index), atLeast: position, id: UInt64(index)))
    }

    private static func arrival(_ message: MessageView) throws -> Arrival {
        let at = Time.now
        let (status, _) = try Asking.result(message)
        guard status == .miss else { throw GaveUp("a probe was answered with \(status as Any)") }
        return Arrival(index: Int(message.requestID), at: at)
    }
}
