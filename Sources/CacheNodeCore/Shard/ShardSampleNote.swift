package import CacheModel
package import CacheWire

/// An operation that was sampled, and what it was answered.
package struct ShardSampleNote: Hashable, Sendable {
    package let type: MessageType
    package let namespace: Namespace
    package let key: [UInt8]
    /// As its asker was told.
    package let status: ResultStatus?
    package let flags: ResultFlags
    /// A tier, or the cause of a refusal, by the status.
    package let detail: UInt8
    /// Of the whole value that was answered or brought; `nil` where there is none.
    package let valueBytes: Int?
    /// Another node asks, which serves what it is told.
    package let isForPeer: Bool
    /// Nobody waits for the value.
    package let isPrefetch: Bool
    /// How long it was kept aside, and for what; `nil`: it was answered at once.
    package let took: Duration?
    package let times: WaitedTimes?
    package let trace: TraceContext?
}
