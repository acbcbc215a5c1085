package import CacheModel
package import CacheWire

/// One pipelined operation's end. Its views are valid only inside the call that hands it out.
package struct PipelinedCompletion {
    /// The caller's own number for the operation.
    package let tag: UInt32
    /// Whether it is the first and the last one that its message tells of.
    package let isFirst: Bool
    package let isLast: Bool
    package let outcome: PipelinedOutcome
    /// What a shard marked its answer with.
    package let flags: ResultFlags
    /// Of a hit or a stale answer.
    package let value: UnsafeRawBufferPointer
    /// When its message was sent.
    package let sentAt: Instant
    /// What the answer reflects; of an invalidation, its place in the log. `none` without an
    /// answer.
    package let position: LogPosition
    /// The encoded fields of its result.
    let fields: UnsafeRawBufferPointer

    /// An end without an answer of its own.
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

    /// What a shard answered.
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

    /// The fill token that came with a miss, if it was asked for and given.
    ///
    /// - Complexity: O(fields); nothing is allocated.
    package var token: PipelinedToken? {
        fields.isEmpty ? nil : PipelinedToken(inFields: fields)
    }
}
