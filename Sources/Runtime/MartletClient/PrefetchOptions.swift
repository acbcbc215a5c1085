public import CacheModel

/// How keys are loaded ahead of need.
public struct PrefetchOptions: Hashable, Sendable {
    /// Most keys in a second, 1 to 1 000 000; `nil` sends requests as fast as answers arrive.
    public var perSecond: Int?
    /// Most keys in flight, 1 to 1 024. If the caller is cancelled, nodes still load the keys in
    /// flight.
    public var inFlightMax = 64
    /// Fresh values that are older than this are loaded anew; `nil` loads no fresh value.
    public var maxAge: Duration?
    /// Only this node. `nil`: the key's owner; in a replicated topology every node.
    public var node: NodeID?
    /// Timeout of one key for each attempt; a node waits for at most one minute of it.
    public var timeout: Duration = .seconds(30)

    public init() {}
}
