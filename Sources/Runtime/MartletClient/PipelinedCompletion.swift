package import CacheModel
package import CacheWire

/// The end of one pipelined operation. Its views are valid only inside the call that passes it.
package struct PipelinedCompletion {
    /// The caller's own number for the operation.
    package let tag: UInt32
    /// Whether it is the first and the last one of its message.
    package let isFirst: Bool
    package let isLast: Bool
    package let outcome: PipelinedOutcome
    /// The flags of a shard's answer.
    package let flags: ResultFlags
    /// Of a hit or a stale answer.
    package let value: UnsafeRawBufferPointer
    package let sentAt: Instant
    /// The position that the answer reflects; for an invalidation, its position in the log. `none`
    /// without an answer.
    package let position: LogPosition
    /// The encoded fields of its result.
    let fields: UnsafeRawBufferPointer

    /// - Parameter result: from a shard; `nil` for an end without a result of its own.
    init(
        _ place: PipelineWindow.Operation, _ outcome: PipelinedOutcome,
        position: LogPosition = .none, _ result: OperationResult? = nil
    ) {
        tag = place.tag
        isFirst = place.isFirst
        isLast = place.isLast
        sentAt = place.sentAt
        self.outcome = outcome
        self.position = position
        flags = result?.flags ?? []
        value = result?.value ?? UnsafeRawBufferPointer(start: nil, count: 0)
        fields = result?.fields ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The fill token of a miss, if it was requested and given.
    ///
    /// - Complexity: O(fields); nothing is allocated.
    package var token: PipelinedToken? {
        fields.isEmpty ? nil : PipelinedToken(inFields: fields)
    }
}
