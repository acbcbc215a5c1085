public import CacheModel

/// How keys are loaded ahead of need.
public struct PrefetchOptions: Hashable, Sendable {
    /// At most so many keys in a second, 1 to 1 000 000; `nil` asks as fast as they are answered.
    public var perSecond: Int?
    /// At most so many keys under way at a time, 1 to 1 024. What is under way when the caller is
    /// cancelled is loaded all the same.
    public var inFlightMax = 64
    /// What is older is loaded anew, although it is fresh; `nil`: whatever is fresh will do.
    public var maxAge: Duration?
    /// Only this node. `nil`: the key's owner, or in a replicated topology every node.
    public var node: NodeID?
    /// How long one key may take, each time it is tried; at most a minute of it is waited at the
    /// node.
    public var timeout: Duration = .seconds(30)

    public init() {}
}
