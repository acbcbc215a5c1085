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
                refuse(.originRefused, rejection.message, into: &replies.writer)
            case .answered(.full), .answered(.undecided):
                appendBusy(ShardLimits.queueRetryMilliseconds, to: &replies.writer)
            case .answered(.overtaken): refuse(.invalidatedMeanwhile, into: &replies.writer)
            case .answered(.unusable): refuse(.queueUnusable, into: &replies.writer)
            case .refused(let refusal): refuse(refusal, into: &replies.writer)
            case nil: refuse(.originUnanswered, into: &replies.writer)
            }
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }
}

extension WriteRejection {
    /// `its origin refused the write with 409: too old`; a long text is cut to the length of a
    /// message.
    fileprivate var message: [UInt8] {
        guard status > 0 else {
            return Array("the key cannot stand in its origin's URL".utf8)
        }
        let text = "its origin refused the write with \(status)"
        guard !words.isEmpty else { return Array(text.utf8) }
        // Whatever the origin sent, a message is text.
        var message = "\(text): "
        for scalar in String(decoding: words, as: UTF8.self).unicodeScalars {
            let bytes = message.utf8.count + UTF8.width(scalar)
            guard bytes <= WireLimits.messageBytesMax else { break }
            message.unicodeScalars.append(scalar)
        }
        return Array(message.utf8)
    }
}
