import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// Finds the topology of a ``PipelinedConnection`` again once answers show that there is another.
///
///     idle ──another version──▶ asking ──topology──▶ connecting to new shards ──▶ idle
struct TopologyFollower {
    /// A topology, and the lanes to its shards.
    struct Next {
        let topology: Topology
        let lanes: [PipelineLane]
        /// Lanes without a connection so far.
        fileprivate var unconnected: [PipelineLane]
        /// It is used from then on, connected or not.
        fileprivate let until: Instant

        /// - Parameter new: those of the lanes that are about to connect.
        init(_ topology: Topology, _ lanes: [PipelineLane], new: [PipelineLane], until: Instant) {
            (self.topology, self.lanes, self.until) = (topology, lanes, until)
            unconnected = new
        }
    }

    private var hunt: TopologyHunt
    private var query: TopologyQuery?
    private var next: Next?

    init(_ endpoints: [String], _ topology: Topology) {
        hunt = TopologyHunt(seeds: endpoints)
        noteAnswer(by: topology.controlEndpoint, topology, at: MonotonicClock.now)
    }

    private mutating func noteAnswer(
        by endpoint: String, _ topology: Topology, at now: Instant
    ) {
        hunt.answered(
            by: endpoint, publisher: topology.controlEndpoint,
            shards: topology.shards.map(\.endpoint), at: now)
    }

    /// Whether ``topology(after:_:_:at:)`` or ``takeConnected(at:)`` has something to do soon.
    var isUnderWay: Bool { hunt.isUnderWay || next != nil }

    /// Whether an answer or a connection is awaited.
    var isAwaiting: Bool { query != nil || next != nil }

    /// A shard answered with another version of the topology than the connection's.
    mutating func heardOfAnother(at now: Instant) { hunt.wanted(at: now) }

    /// - Parameters:
    ///   - current: the connection's topology.
    ///   - frame: overwritten.
    /// - Returns: another topology of the same cluster, if one has arrived.
    mutating func topology(
        after current: Topology, _ context: Context, _ frame: inout Frame, at now: Instant
    ) throws(ZeroMQError) -> Topology? {
        guard next == nil else { return nil }
        if case .ask(let endpoint) = hunt.tick(at: now) { ask(endpoint, context, at: now) }
        guard let query, let answer = try query.answer(into: &frame) else { return nil }
        self.query = nil
        switch answer {
        case .topology(let told) where Self.continues(current, told):
            noteAnswer(by: query.endpoint, told, at: now)
            let whole = told.remembering(current)
            return whole == current ? nil : whole
        case .denied(let other): hunt.denied(by: query.endpoint, naming: other, at: now)
        case .topology, .unusable: hunt.failed(at: now)
        }
        return nil
    }

    private static func continues(_ current: Topology, _ told: Topology) -> Bool {
        !told.cluster.contradicts(current.cluster) && told.kind == current.kind
            && !told.shards.isEmpty
    }

    private mutating func ask(_ endpoint: String, _ context: Context, at now: Instant) {
        do {
            query = try TopologyQuery(endpoint, context)
        } catch {
            // The next endpoint is asked.
            query = nil
            hunt.failed(at: now)
        }
    }

    mutating func connects(_ next: Next) { self.next = next }

    /// - Returns: what is connected now, or is not waited for any longer.
    mutating func takeConnected(at now: Instant) throws(ZeroMQError) -> Next? {
        guard var next else { return nil }
        while let lane = next.unconnected.last, try lane.socket.isWritable {
            next.unconnected.removeLast()
        }
        let isOver = next.unconnected.isEmpty || next.until <= now
        self.next = isOver ? nil : next
        return isOver ? next : nil
    }
}
