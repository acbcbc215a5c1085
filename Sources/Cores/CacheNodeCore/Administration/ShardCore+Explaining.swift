import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

/// EXPLAIN: why a key would be served, or would not.
extension ShardCore {
    mutating func answerExplain(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) {
        do throws(WireRefusal) {
            let request = try KeyQuestion(decoding: plan.message)
            let explanation = explain(request.key, in: plan.namespace, now: now)
            let start = replies.writer.count
            explanation.encode(requestID: plan.message.requestID, into: &replies.writer)
            replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    private mutating func explain(
        _ key: CacheKey, in namespace: NamespaceNumber, now: Instant
    ) -> Explanation {
        key.bytes.withUnsafeBytes { key in
            let hash = entries.memory.hash(namespace: namespace, key: key)
            let account = cluster.handOver.shown(
                entries.memory.explain(hash, namespace: namespace, key: key, now: now), key)
            var explanation = Explanation(
                Explanation.Verdict(
                    on: account, namespaces.policy(of: namespace), log.standing, now: now),
                log.standing.state(at: now),
                applied: log.applied.position)
            explanation.leaseLeftMilliseconds = log.standing.leaseLeftMilliseconds(at: now)
            explanation.loadLeftMilliseconds = UInt32(
                clamping: loads.leases.timeLeft(of: hash, now: now).wholeMilliseconds)
            explanation.tokenBase = log.position(of: account.tokenBase)
            explanation.entry = account.entry.map {
                Explanation.Entry($0, costBytes: entries.memory.costBytes(of: $0), log, now: now)
            }
            explanation.floors = account.floors.map {
                Explanation.Floor($0, over: account.entry, log)
            }
            return explanation
        }
    }
}
