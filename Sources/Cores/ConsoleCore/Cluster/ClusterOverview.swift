package import CacheModel

/// The state of a cluster at a moment, as far as it is known. A value: a paused screen keeps one.
package struct ClusterOverview: Hashable, Sendable {
    package private(set) var topology: TopologyObservation?
    package private(set) var publisher: PublisherObservation?
    package private(set) var publisherTrack = FigureTrack()
    package private(set) var publisherAbsence: Absence?
    package private(set) var publisherAbsentSince: Instant?
    /// In the topology's order.
    package private(set) var nodes: [NodeSnapshot] = []
    package private(set) var stream = RecentInvalidations()
    package private(set) var history = ClusterHistory()
    package private(set) var heads = HeadTrail()
    /// Why no endpoint returns the topology; `nil` once one has.
    package private(set) var trouble: String?

    package init() {}

    /// The newest position in any answer.
    package private(set) var head: LogPosition?

    /// Records an answer, or its absence.
    package mutating func learn(_ news: ClusterNews, now: Instant) {
        switch news {
        case .topology(let topology): told(topology)
        case .trouble(let sentence): trouble = sentence
        case .publisher(let sighting): told(sighting, now: now)
        case .noPublisher(let absence): missedPublisher(absence, now: now)
        case .node(let node, let sighting):
            let heads = heads
            change(node) { $0.heard(sighting, heads: heads, now: now) }
        case .noNode(let node, let absence):
            change(node) { $0.missed(absence, now: now) }
        case .stream(let event): heard(event, now: now)
        }
    }

    private mutating func told(_ topology: TopologyObservation) {
        trouble = nil
        guard topology != self.topology else { return }
        self.topology = topology
        let known = Dictionary(nodes.map { ($0.node, $0) }) { first, _ in first }
        nodes = topology.nodes.map { node in
            var snapshot = known[node.id] ?? NodeSnapshot(node.id, endpoints: [])
            snapshot.endpoints = node.endpoints
            return snapshot
        }
    }

    private mutating func told(_ sighting: PublisherObservation, now: Instant) {
        if publisherAbsence != nil { publisherTrack.interrupt() }
        publisher = sighting
        publisherAbsence = nil
        publisherAbsentSince = nil
        publisherTrack.read([sighting.figures], now: now)
        // The publisher's answer counts, even if it is behind the stream.
        head = sighting.head
        heads.saw(sighting.head, now: now)
        for index in nodes.indices { nodes[index].line = sighting.lines[nodes[index].node] }
    }

    private mutating func missedPublisher(_ absence: Absence, now: Instant) {
        publisherAbsence = absence
        publisherAbsentSince = publisherAbsentSince ?? now
        publisherTrack.interrupt()
    }

    private mutating func change(_ node: NodeID, _ body: (inout NodeSnapshot) -> Void) {
        // A node that has left the topology meanwhile is ignored.
        guard let index = nodes.firstIndex(where: { $0.node == node }) else { return }
        body(&nodes[index])
    }

    private mutating func heard(_ event: StreamEvent, now: Instant) {
        stream.heard(event, now: now)
        switch event {
        case .record(let record): saw(record.position, now: now)
        case .heartbeat(let position): saw(position, now: now)
        case .lost, .partial, .failed: break
        }
    }

    private mutating func saw(_ position: LogPosition, now: Instant) {
        if let head, position <= head { return }
        head = position
        heads.saw(position, now: now)
    }

    /// How many slots the node owns, as the publisher told last; `nil` where the log assigns none.
    func slots(of node: NodeID) -> UInt64? { publisher?.figures["slots:\(node)"] }

    /// Adds the present totals to the history.
    package mutating func noteMoment(now: Instant) {
        history.add(ClusterHistory.Moment(at: now, totals: totals))
    }

    package var totals: ClusterTotals {
        func rate(_ name: String) -> Double? {
            let rates = nodes.compactMap { $0.track.rate(name) }
            return rates.isEmpty ? nil : rates.reduce(0, +)
        }
        return ClusterTotals(
            gets: rate("gets"),
            hitShare: HitShare.share(rate("hits"), rate("stale_hits"), rate("misses")),
            invalidations: publisherTrack.rate("records"))
    }
}

/// Rates of all nodes together, per second; `nil` if no node reports them.
package struct ClusterTotals: Hashable, Sendable {
    package var gets: Double?
    package var hitShare: Double?
    package var invalidations: Double?
}

/// The hit ratio of a figure track: (hits + stale hits) ÷ lookups.
package enum HitShare {
    /// Over the last interval; `nil` without lookups in it.
    package static func recent(_ track: FigureTrack) -> Double? {
        share(track.rate("hits"), track.rate("stale_hits"), track.rate("misses"))
    }

    /// Since the start of the process.
    package static func whole(_ track: FigureTrack) -> Double? {
        let counts = ["hits", "stale_hits", "misses"].map { track.sum($0).map(Double.init) }
        return share(counts[0], counts[1], counts[2])
    }

    package static func share(_ hits: Double?, _ stale: Double?, _ misses: Double?) -> Double? {
        guard let hits, let stale, let misses else { return nil }
        let lookups = hits + stale + misses
        return lookups > 0 ? (hits + stale) / lookups : nil
    }
}
