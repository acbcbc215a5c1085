import ByteCoding
import CacheAccess
import CacheModel
package import CacheWire

/// Answers about the node's write queue. There is one for the node: any shard can be asked.
extension ShardCore {
    mutating func answerQueue(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        if case .queue(let report) = evidence {
            let start = replies.writer.count
            report.encode(requestID: plan.message.requestID, into: &replies.writer)
            return replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        }
        do throws(WireRefusal) {
            let request = try QueueRequest(decoding: plan.message)
            guard hasRoomToWait(plan) else {
                throw WireRefusal(.busy, "as many requests wait here as may")
            }
            let id = waiting.insert(
                plan.frame,
                deadline: now.advanced(by: ShardLimits.waitDefault), condition: .queue(nil),
                now: now)
            let sender = admission.entry(of: plan.frame.principal)
            effects.append(.askQueue(number: id, QueueQuestion(request, by: sender)))
            if request.order != .list {
                recorder.audit.append(
                    .queue(
                        order: "\(request.order)", key: request.key, in: request.namespace),
                    of: plan.frame, by: sender)
            }
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    /// The queue has reported its state, for the request of this number.
    package mutating func queueReported(_ number: UInt64, _ report: QueueReport) {
        waiting.queueReported(number, report)
    }
}
