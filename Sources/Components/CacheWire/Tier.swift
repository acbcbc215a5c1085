/// The tier in which a value was found. The numbers are on the wire.
public enum Tier: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    case none = 0
    case memory = 1
    case disk = 2
    case origin = 3

    public var description: String {
        switch self {
        case .none: "none"
        case .memory: "memory"
        case .disk: "disk"
        case .origin: "origin"
        }
    }
}
