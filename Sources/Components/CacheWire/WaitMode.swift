/// The nodes that an invalidation waits for. The numbers are on the wire.
public enum WaitMode: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    case none = 0
    case quorum = 1
    case all = 2

    public var description: String {
        switch self {
        case .none: "none"
        case .quorum: "quorum"
        case .all: "all"
        }
    }
}
