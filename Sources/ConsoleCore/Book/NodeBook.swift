package import CacheModel

/// What is known of one node, and since when it is not.
package struct NodeBook: Hashable, Sendable {
    package let node: NodeID
    package var endpoints: [String]
    package private(set) var sighting: NodeSighting?
    package private(set) var track = FigureTrack()
    package private(set) var absence: Absence?
    package private(set) var absentSince: Instant?
    /// Records that it was owed when it answered, of those that were known of then: a later head
    /// says nothing about an earlier answer.
    package private(set) var lag: UInt64?
    /// For how long it had been owed the oldest of them.
    package private(set) var delay: Duration?
    /// What the publisher said of it last.
    package var line: PublisherSighting.Line?

    package init(_ node: NodeID, endpoints: [String]) {
        self.node = node
        self.endpoints = endpoints
    }

    package mutating func heard(_ sighting: NodeSighting, heads: HeadTrail, now: Instant) {
        if absence != nil { track.interrupt() }
        absence = nil
        absentSince = nil
        self.sighting = sighting
        track.read(sighting.shards.map(\.figures), now: now)
        lag = applied.flatMap { heads.lag(at: $0) }
        delay = applied.flatMap { heads.delay(at: $0, now: now) }
    }

    package mutating func missed(_ absence: Absence, now: Instant) {
        self.absence = absence
        absentSince = absentSince ?? now
        track.interrupt()
    }

    /// What all its shards have applied; of an absent one, what the publisher heard.
    package var applied: LogPosition? {
        absence == nil ? sighting?.shards.map(\.position).min() : line?.applied
    }

    /// How much longer it may call entries fresh, as it said; of an absent one, for how long an
    /// invalidation waits for it.
    package var leaseLeft: Duration? {
        guard absence == nil else { return line?.grantLeft }
        let left = track.parts.compactMap { $0["lease_left_ms"] }.min() ?? 0
        return left == 0 ? nil : .milliseconds(Int64(clamping: left))
    }

    /// Share of the lookups of the last interval that were served, 0 to 1.
    package var hitShare: Double? { HitShare.recent(track) }

    /// For how long it has been in its state, where it says so.
    package var stateAge: Duration? {
        track.parts.compactMap { $0["state_ms"] }.max().map { .milliseconds(Int64(clamping: $0)) }
    }
}
