import ByteCoding
import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

/// Readers of keys in slots that arrived a short time ago: docs/decisions/0120.
///
///     message ─▶ is a key of an arriving slot missing? ──no──▶ answered
///                      │ yes
///                      ▼
///                 waits for the owner before: 50 ms at most ─▶ its entries are stored as copies
///                      ▼
///                 answered; what is not there by now is a miss
extension ShardCore {
    /// Requests what a message needs of the owners before.
    ///
    /// - Returns: whether the message waits for them.
    mutating func waitsForOwnerBefore(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) -> Bool {
        guard !plan.hasAskedOwnerBefore, plan.message.type == .get || plan.message.type == .touch,
            plan.namespace != NamespaceTable.unnamed, namespaces.isConfigured, hasRoomToWait(plan)
        else { return false }
        let wanted = keysToPull(of: plan, now: now)
        guard !wanted.isEmpty else { return false }
        let deadline = min(
            now.advanced(by: HandOverLimits.readerWaitMax), askerDeadline(of: plan, now: now))
        let id = waiting.insert(
            plan.frame, deadline: deadline, condition: .copies(leftCount: wanted.count), now: now)
        waiting.noteProgress(of: id, orderedAt: nil, hasPassedHead: plan.hasPassedHead)
        waiting.noteAsker(of: id, waitsUntil: askerDeadline(of: plan, now: now))
        let fence = WarmUp.Fence(mark: log.applied, stamp: log.appliedStamp)
        let (pulls, leftCount) = cluster.handOver.arrivals.pull(
            wanted, behind: fence, for: id, now: now)
        for _ in 0..<leftCount { waiting.copied(id) }
        effects += pulls.map { .pull($0) }
        return true
    }

    /// The keys of a message that are missing here, and arrive.
    private mutating func keysToPull(of plan: Plan, now: Instant) -> [SlotArrivals.Wanted] {
        let namespace = Namespace(namespaces.name(of: plan.namespace)) ?? .default
        var reader = ByteReader(plan.message.body)
        var (wanted, seen) = ([SlotArrivals.Wanted](), Set<KeyHash>())
        for index in 0..<plan.message.count {
            let bytes = Self.planned { () throws(WireRefusal) in
                try reader.nextKey(of: plan.message.type, tags: &tags)
            }
            let hash = hashes[plan.firstHash + index]
            guard let key = CacheKey(bytes: [UInt8](bytes)), seen.insert(hash).inserted,
                let source = cluster.handOver.arrivals.source(
                    of: hash, HashSlot(of: bytes), now: now),
                mayCopy(hash, plan.namespace, bytes, of: source.change, now: now)
            else { continue }
            let name = LoadKey(namespace: plan.namespace.rawValue, bytes: key.bytes)
            wanted.append(
                SlotArrivals.Wanted(key: key, namespace: namespace, name: name, move: source))
        }
        return wanted
    }

    /// An owner before has answered a request for readers, or part of it.
    ///
    /// - Parameter batch: its entries; `nil`: it did not answer.
    /// - Returns: what was stored.
    @discardableResult
    package mutating func pulled(
        _ pull: SlotPull, _ batch: WarmUp.Batch?, now: Instant
    ) -> WarmUp.Stored {
        let stored = batch.map { store($0, now: now) } ?? WarmUp.Stored()
        guard let number = namespaces.number(of: pull.request.namespace) else { return stored }
        let hasher = entries.memory.entries.hasher
        let readers = cluster.handOver.arrivals.end(pull, batch, in: number, hasher, now: now)
        for reader in readers { waiting.copied(reader) }
        return stored
    }
}
