/// Why an entry left a tier. Every removal has exactly one cause, and every cause has a counter.
public enum RemovalCause: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    /// Space was needed. The only cause that is an *eviction*.
    case evicted = 0
    /// Its freshness lifetime, and the stale window after it, had passed.
    case expired = 1
    /// An invalidation of its key, or of a scope that covers it, was applied.
    case invalidated = 2
    /// A newer value of the same key was stored.
    case replaced = 3
    /// Its history became unknown: the log of its fill is gone.
    case forgotten = 4

    public var description: String {
        switch self {
        case .evicted: "evicted"
        case .expired: "expired"
        case .invalidated: "invalidated"
        case .replaced: "replaced"
        case .forgotten: "forgotten"
        }
    }
}
