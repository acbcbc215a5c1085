package import CacheModel
package import CacheWire

/// A request that waited, and has been answered.
package struct ShardWaitNote: Hashable, Sendable {
    package let type: MessageType
    package let namespace: Namespace
    /// The first of its keys; empty if it has none, or the key is not recorded.
    package let key: [UInt8]
    package let keyCount: Int
    package let took: Duration
    package let times: WaitedTimes
    package let trace: TraceContext?
}
