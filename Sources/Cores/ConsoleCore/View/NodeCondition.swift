package import CacheModel

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
