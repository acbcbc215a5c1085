package import CacheModel
package import CacheWire

/// A request that was kept aside for long, and has been answered.
package struct ShardSlowNote: Hashable, Sendable {
    package let type: MessageType
    package let namespace: Namespace
    /// The first of its keys; empty where it has none.
    package let key: [UInt8]
    package let keyCount: Int
    package let took: Duration
    package let times: WaitedTimes
    package let trace: TraceContext?
}
