public import CacheModel

/// A key that a scan found.
public struct ScanEntry: Hashable, Sendable {
    public var key: CacheKey
    public var valueBytes: Int
    /// Time left; `nil` never expires.
    public var timeToLive: Duration?
    public var node: NodeID
    /// How often it is asked for, about, against others of the same node; 0 unless the hottest were
    /// asked for.
    public var heat = 0
}
