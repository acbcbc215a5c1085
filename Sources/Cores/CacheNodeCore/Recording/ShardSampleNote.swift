package import CacheModel
package import CacheWire

/// A sampled operation, and its answer.
package struct ShardSampleNote: Hashable, Sendable {
    package let type: MessageType
    package let namespace: Namespace
    package let key: [UInt8]
    /// As returned to its asker.
    package let status: ResultStatus?
    package let flags: ResultFlags
    /// A tier, or the cause of a refusal, by the status.
    package let detail: UInt8
    /// Of the whole value that was returned or stored; `nil` if there is none.
    package let valueBytes: Int?
    /// Another node asks, which serves the value it receives.
    package let isForPeer: Bool
    /// No reader waits for the value.
    package let isPrefetch: Bool
    /// How long it waited, and for what; `nil`: it was answered at once.
    package let took: Duration?
    package let times: WaitedTimes?
    package let trace: TraceContext?
}
