package import CacheModel
package import CacheWire

/// A request that was kept aside, and has been answered.
package struct ShardWaitNote: Hashable, Sendable {
    package let type: MessageType
    package let namespace: Namespace
    /// The first of its keys; empty where it has none, or nobody asks for it.
    package let key: [UInt8]
    package let keyCount: Int
    package let took: Duration
    package let times: WaitedTimes
    package let trace: TraceContext?
}
