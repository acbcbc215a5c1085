/// The state of a node, which determines what it guarantees about its answers. The raw values are
/// on the wire.
///
/// Legal transitions:
///
///     starting ─▶ syncing ─▶ live ⇄ catchingUp
///                    ▲         │        │
///                    └──── suspect ◀────┘
///
///     any of them ─▶ draining ─▶ (the process ends)
///
/// `recovering` comes between `starting` and `syncing` if a disk tier has something to recover.
public enum NodeState: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Has not heard from the publisher since its start.
    case starting = 0
    /// Replays records that it missed while it was down; nothing is fresh.
    case recovering = 1
    /// Has heard from the publisher and waits for its first lease.
    case syncing = 2
    /// At the head, with a lease: its entries are fresh.
    case live = 3
    /// Has a lease and knows of records it has not applied yet.
    case catchingUp = 4
    /// Its lease is over: none of its entries is fresh until it is live again.
    case suspect = 5
    /// Finishes accepted work and accepts nothing new.
    case draining = 6

    /// Whether entries may be called fresh in this state.
    @inlinable
    public var hasLease: Bool { self == .live || self == .catchingUp || self == .draining }

    public var description: String {
        switch self {
        case .starting: "STARTING"
        case .recovering: "RECOVERING"
        case .syncing: "SYNCING"
        case .live: "LIVE"
        case .catchingUp: "CATCHING UP"
        case .suspect: "SUSPECT"
        case .draining: "DRAINING"
        }
    }
}
