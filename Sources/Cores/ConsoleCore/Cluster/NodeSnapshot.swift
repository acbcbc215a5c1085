package import CacheModel

/// The state of one node, and since when it has been unknown.
package struct NodeSnapshot: Hashable, Sendable {
    package let node: NodeID
    package var endpoints: [String]
    package private(set) var sighting: NodeObservation?
    package private(set) var track = FigureTrack()
    package private(set) var absence: Absence?
    package private(set) var absentSince: Instant?
    /// Records that the node had still to apply when it answered, of the heads known at that time:
    /// a later head says nothing about an earlier answer.
    package private(set) var lag: UInt64?
    /// How long the oldest of these records had been in the log.
    package private(set) var delay: Duration?
    /// The publisher's last report about it.
    package var line: PublisherObservation.Line?

    package init(_ node: NodeID, endpoints: [String]) {
        self.node = node
        self.endpoints = endpoints
    }

    package mutating func heard(_ sighting: NodeObservation, heads: HeadTrail, now: Instant) {
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

    /// The position that all its shards have applied; for an absent node, the publisher's value.
    package var applied: LogPosition? {
        absence == nil ? sighting?.shards.map(\.position).min() : line?.applied
    }

    /// How much longer it may serve fresh values, by its own report. For an absent node: how long
    /// an invalidation waits for it.
    package var leaseLeft: Duration? {
        guard absence == nil else { return line?.grantLeft }
        let left = track.parts.compactMap { $0["lease_left_ms"] }.min() ?? 0
        return left == 0 ? nil : .milliseconds(Int64(clamping: left))
    }

    /// Share of the lookups of the last interval that were served, 0 to 1.
    package var hitShare: Double? { HitShare.recent(track) }

    /// How long it has been in its state, if it reports that.
    package var stateAge: Duration? {
        track.parts.compactMap { $0["state_ms"] }.max().map { .milliseconds(Int64(clamping: $0)) }
    }
}
