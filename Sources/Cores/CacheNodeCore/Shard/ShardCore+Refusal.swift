import ByteCoding
import CacheModel
import CacheWire

extension ShardCore {
    /// Refuses one operation.
    func refuse(_ cause: StoreRefusal, into writer: inout ByteWriter) {
        OperationResult.append(.refused, detail: cause.rawValue, to: &writer)
    }

    /// Refuses one operation with a message.
    func refuse(_ cause: StoreRefusal, _ message: StaticString, into writer: inout ByteWriter) {
        let start = writer.count
        OperationResult.append(.refused, detail: cause.rawValue, to: &writer)
        OperationResult.appendField(message: message, to: &writer)
        OperationResult.finishFields(from: start, in: &writer)
    }

    /// The same with words that are put together.
    func refuse(_ cause: StoreRefusal, _ message: [UInt8], into writer: inout ByteWriter) {
        let start = writer.count
        OperationResult.append(.refused, detail: cause.rawValue, to: &writer)
        OperationResult.appendField(message: message, to: &writer)
        OperationResult.finishFields(from: start, in: &writer)
    }

    /// Refuses every operation of a message for one cause.
    mutating func refuseAll(
        _ plan: Plan, _ cause: StoreRefusal, now: Instant, into replies: inout ReplyBuffer
    ) {
        let message = beginResults(plan, now: now, into: &replies)
        for _ in 0..<plan.message.count { refuse(cause, into: &replies.writer) }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }

    /// Answers every operation of a message that it is to be retried.
    ///
    /// - Parameter cause: why nothing is answered, stored or removed now; `nil`: a limit is
    ///   reached.
    mutating func answerBusy(
        _ plan: Plan, because cause: StoreRefusal? = nil, now: Instant,
        into replies: inout ReplyBuffer
    ) {
        let hasMoved = cause == .moved
        if hasMoved { statistics.moved += 1 } else { statistics.busy += 1 }
        let retryAfter =
            hasMoved ? ShardLimits.movedRetryMilliseconds : ShardLimits.busyRetryMilliseconds
        let message = beginResults(plan, now: now, into: &replies)
        for _ in 0..<plan.message.count {
            appendBusy(because: cause, retryAfter, to: &replies.writer)
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }

    /// Writes that an operation was not done, and when to retry it.
    func appendBusy(
        because cause: StoreRefusal? = nil, _ retryAfterMilliseconds: UInt32,
        to writer: inout ByteWriter
    ) {
        let start = writer.count
        OperationResult.append(.busy, detail: cause?.rawValue ?? 0, to: &writer)
        OperationResult.appendField(
            retryAfterMilliseconds: retryAfterMilliseconds, to: &writer)
        OperationResult.finishFields(from: start, in: &writer)
    }

    /// Answers every operation of a message that it could not be answered in time, and why.
    mutating func answerBehind(
        _ plan: Plan, _ reason: BehindReason, now: Instant, into replies: inout ReplyBuffer
    ) {
        statistics.reads.behind += 1
        let message = beginResults(plan, now: now, into: &replies)
        for _ in 0..<plan.message.count {
            OperationResult.append(.behind, detail: reason.rawValue, to: &replies.writer)
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }
}
