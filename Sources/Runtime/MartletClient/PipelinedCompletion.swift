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
    /// When its message was sent.
    package let sentAt: Instant
    /// The position that the answer reflects; for an invalidation, its position in the log. `none`
    /// without an answer.
    package let position: LogPosition
    /// The encoded fields of its result.
    let fields: UnsafeRawBufferPointer

    /// An end without a result of its own.
    init(
        _ place: PipelineWindow.Operation, _ outcome: PipelinedOutcome,
        position: LogPosition = .none
    ) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        tag = place.tag
        isFirst = place.isFirst
        isLast = place.isLast
        sentAt = place.sentAt
        self.outcome = outcome
        self.position = position
        flags = []
        value = nothing
        fields = nothing
    }

    /// A result from a shard.
    init(_ place: PipelineWindow.Operation, _ result: OperationResult, position: LogPosition) {
        tag = place.tag
        isFirst = place.isFirst
        isLast = place.isLast
        sentAt = place.sentAt
        outcome = PipelinedOutcome(result.status)
        self.position = position
        flags = result.flags
        value = result.value
        fields = result.fields
    }

    /// The fill token of a miss, if it was requested and given.
    ///
    /// - Complexity: O(fields); nothing is allocated.
    package var token: PipelinedToken? {
        fields.isEmpty ? nil : PipelinedToken(inFields: fields)
    }
}
