package import CacheModel

/// One node at a moment, as a row of the table; unknown values are `nil`.
package struct NodeRow: Hashable, Sendable {
    package let node: NodeID
    package let standing: NodeCondition
    /// How long it has been in that standing.
    package let since: Duration?
    package let leaseLeft: Duration?
    /// Records that the node has still to apply.
    package let lag: UInt64?
    /// How long the oldest of them has been in the log.
    package let delay: Duration?
    package let track: FigureTrack
    package let hitShare: Double?
    package let reason: String?

    package init(_ book: NodeBook, in cluster: ClusterBook, staleAfter: Duration, now: Instant) {
        node = book.node
        track = book.track
        let age = book.track.readAt.map { now.elapsed(since: $0) }
        if let absence = book.absence {
            standing = absence.isDenial ? .denied : .unreachable
            since = book.absentSince.map { now.elapsed(since: $0) }
        } else if let age, age > staleAfter {
            standing = .stale
            since = age
        } else if let state = book.sighting?.state {
            standing = .told(state)
            since = state == .live ? nil : book.stateAge.map { $0 + (age ?? .zero) }
        } else {
            standing = .unknown
            since = nil
        }
        leaseLeft = book.leaseLeft
        if book.absence == nil {
            lag = book.lag
            delay = book.delay
        } else {
            // The publisher's value, compared with the heads that are known now.
            lag = book.applied.flatMap { cluster.heads.lag(at: $0) }
            delay = book.applied.flatMap { cluster.heads.delay(at: $0, now: now) }
        }
        hitShare = book.hitShare
        reason = book.absence?.sentence ?? book.sighting?.reason
    }

    /// Whether its values are outdated.
    package var isOld: Bool {
        switch standing {
        case .unreachable, .denied, .stale, .unknown: true
        case .told: false
        }
    }

    /// Records of the log applied in a second. Each shard of the node applies all of them.
    package var appliedRate: Double? {
        track.rate("applied_records").map { $0 / Double(max(1, track.parts.count)) }
    }

    package var memoryShare: Double? {
        guard let used = track.sum("memory_bytes"), let most = track.sum("memory_bytes_max"),
            most > 0
        else { return nil }
        return Double(used) / Double(most)
    }
}
