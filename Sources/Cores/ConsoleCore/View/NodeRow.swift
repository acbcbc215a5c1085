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
    /// Slots that it owns; `nil` where the log assigns none.
    package let slots: UInt64?
    package let reason: String?

    package init(
        _ snapshot: NodeSnapshot, in cluster: ClusterOverview, staleAfter: Duration, now: Instant
    ) {
        node = snapshot.node
        track = snapshot.track
        let age = snapshot.track.readAt.map { now.elapsed(since: $0) }
        if let absence = snapshot.absence {
            standing = absence.isDenial ? .denied : .unreachable
            since = snapshot.absentSince.map { now.elapsed(since: $0) }
        } else if let age, age > staleAfter {
            standing = .stale
            since = age
        } else if let state = snapshot.sighting?.state {
            standing = .told(state)
            since = state == .live ? nil : snapshot.stateAge.map { $0 + (age ?? .zero) }
        } else {
            standing = .unknown
            since = nil
        }
        leaseLeft = snapshot.leaseLeft
        if snapshot.absence == nil {
            lag = snapshot.lag
            delay = snapshot.delay
        } else {
            // The publisher's value, compared with the heads that are known now.
            lag = snapshot.applied.flatMap { cluster.heads.lag(at: $0) }
            delay = snapshot.applied.flatMap { cluster.heads.delay(at: $0, now: now) }
        }
        hitShare = snapshot.hitShare
        slots = cluster.slots(of: snapshot.node)
        reason = snapshot.absence?.sentence ?? snapshot.sighting?.reason
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

/// The standing of a node as the screen shows it: its state, or why that is unknown. The worst
/// comes first.
package enum NodeCondition: Hashable, Sendable {
    case unreachable
    case denied
    /// Not asked, or without an answer, for longer than values stay current.
    case stale
    case unknown
    case told(NodeState)

    package var word: String {
        switch self {
        case .unreachable: "UNREACHABLE"
        case .denied: "DENIED"
        case .stale: "STALE"
        case .unknown: "…"
        case .told(let state): state.description
        }
    }

    package var style: CellStyle {
        switch self {
        case .unreachable: .bad
        case .denied, .stale: .warning
        case .unknown: .faint
        case .told(.live): .good
        case .told: .warning
        }
    }

    package var rank: Int {
        switch self {
        case .unreachable: 0
        case .denied: 1
        case .stale: 2
        case .unknown: 3
        case .told(.starting): 5
        case .told(.suspect): 4
        case .told(.recovering): 6
        case .told(.syncing): 7
        case .told(.draining): 8
        case .told(.catchingUp): 9
        case .told(.live): 10
        }
    }
}
