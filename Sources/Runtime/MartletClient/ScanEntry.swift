public import CacheModel

/// A key that a scan found.
public struct ScanEntry: Hashable, Sendable {
    public var key: CacheKey
    public var valueBytes: Int
    /// Time left; `nil` never expires.
    public var timeToLive: Duration?
    public var node: NodeID
    /// Approximate access frequency, relative to other keys of the same node; 0 except for the
    /// hottest keys.
    public var heat = 0
}
