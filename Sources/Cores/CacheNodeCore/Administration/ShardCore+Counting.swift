import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// Answers COUNT: the coverage of the scopes, from counters, without examining entries.
    mutating func answerCount(_ plan: Plan, now: Instant, into replies: inout ReplyBuffer) {
        do throws(WireRefusal) {
            let request = try CountRequest(decoding: plan.message)
            var total = ScopeCount()
            for scope in request.scopes { total = total + (try count(scope, now: now)) }
            let start = replies.writer.count
            CountReply(
                entryCount: UInt64(total.entryCount), entryBytes: UInt64(total.bytes),
                isAtMost: !total.isExact
            ).encode(requestID: plan.message.requestID, into: &replies.writer)
            replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    private mutating func count(
        _ scope: Scope, now: Instant
    ) throws(WireRefusal) -> ScopeCount {
        let (_, namespace, name) = scope.parts
        // A namespace unknown to this shard has no entries; a request does not create it.
        guard let number = namespaces.known(namespace) else { return ScopeCount() }
        let count = name.withUnsafeBytes { name -> ScopeCount? in
            switch scope.target {
            case .key:
                let hash = entries.memory.hash(namespace: number, key: name)
                return entries.memory.count(
                    .key(number, hash: hash, key: name, minimumVersion: scope.minimumVersion),
                    now: now)
            case .tag: return entries.memory.count(.tag(number, name), now: now)
            case .prefix: return nil
            case .namespace: return entries.memory.count(.namespace(number), now: now)
            case .everything: return entries.memory.count(.everything, now: now)
            }
        }
        guard var count else {
            throw WireRefusal(.unsupported, "nothing counts the keys of a prefix: scan them")
        }
        // The counters cover the whole scope.
        if scope.hashRange != nil { count.isExact = count.entryCount == 0 }
        return count
    }
}
