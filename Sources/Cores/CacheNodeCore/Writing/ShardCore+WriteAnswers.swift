import ByteCoding
import CacheLoading
import CacheModel
import CacheWire

/// Answers to the asker of a write.
extension ShardCore {
    /// - Parameter results: by operation; a missing one has not ended in time.
    mutating func answerWritten(
        _ plan: Plan, _ results: [Int: WriteResult], now: Instant, into replies: inout ReplyBuffer
    ) {
        let message = beginResults(plan, now: now, into: &replies)
        let status: ResultStatus = plan.message.type == .set ? .stored : .removed
        for operation in 0..<plan.message.count {
            switch results[operation] {
            case .answered(.taken): OperationResult.append(status, to: &replies.writer)
            case .answered(.queued):
                writes.queuedCount += 1
                OperationResult.append(status, flags: .queued, to: &replies.writer)
            case .answered(.refused(let rejection)):
                refuse(.originRefused, Self.words(of: rejection), into: &replies.writer)
            case .answered(.full):
                appendBusy(ShardLimits.queueRetryMilliseconds, to: &replies.writer)
            case .answered(.unusable): refuse(.queueUnusable, into: &replies.writer)
            case .refused(let refusal): refuse(refusal, into: &replies.writer)
            case nil: refuse(.originUnanswered, into: &replies.writer)
            }
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }

    /// `its origin refused the write with 409: too old`; a long text is cut to the length of a
    /// message.
    private static func words(of rejection: WriteRejection) -> [UInt8] {
        guard rejection.status > 0 else {
            return Array("the key cannot stand in its origin's URL".utf8)
        }
        let text = "its origin refused the write with \(rejection.status)"
        guard !rejection.words.isEmpty else { return Array(text.utf8) }
        // Whatever the origin sent, a message is text.
        var message = "\(text): "
        for scalar in String(decoding: rejection.words, as: UTF8.self).unicodeScalars {
            let bytes = message.utf8.count + UTF8.width(scalar)
            guard bytes <= WireLimits.messageBytesMax else { break }
            message.unicodeScalars.append(scalar)
        }
        return Array(message.utf8)
    }

}
