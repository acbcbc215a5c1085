import CacheLoading
package import CacheModel
import CacheWire

/// The steps of one batch: find missing keys, request their entries, store them.
extension WarmUp {
    /// One of this node's shards has reported the missing keys.
    ///
    /// - Parameter claimed: `nil` while it cannot store anything.
    package mutating func claimed(
        _ number: UInt64, _ claimed: Claimed?, now: Instant, into actions: inout [Action]
    ) {
        guard number == self.number, !isOver, case .claim(let batch) = step else { return }
        guard let claimed else { return again(batch, now: now, into: &actions) }
        var missing = claimed.missing.map { batch.keys[$0] }
        let heldCount = batch.keys.count - missing.count
        note(present: heldCount, of: batch)
        pace.charge(keys: heldCount, of: WarmUpLimits.heldKeysPerKey, now: now)
        if let most = settings.keysMax, !isHandOver {
            missing.removeLast(max(0, missing.count - (most - progress.copiedCount)))
        }
        guard !missing.isEmpty else { return proceed(now: now, into: &actions) }
        pace.charge(keys: missing.count, now: now)
        var left = batch
        left.keys = missing
        partial = nil
        var request = CopyRequest(
            namespace: left.namespace, keys: missing, fence: claimed.fence)
        request.change = visit?.peer.change
        copy(Asked(batch: left, request: request, at: now), now: now, into: &actions)
    }

    private mutating func copy(_ asked: Asked, now: Instant, into actions: inout [Action]) {
        guard let peer = visit?.peer.node else { return }
        let number = begin(.copies(asked), now: now)
        actions.append(
            .ask(
                Question(
                    number: number, peer: peer, shard: asked.batch.from,
                    change: asked.request.change, content: .copies(asked.request))))
    }

    /// A peer's shard has returned entries, or a part of one; `nil`: not of the log that is
    /// followed here.
    mutating func copied(
        _ asked: Asked, _ reading: CopyReading?, now: Instant, into actions: inout [Action]
    ) {
        guard let reading else { return again(asked.batch, now: now, into: &actions) }
        pace.charge(keys: 0, bytes: reading.byteCount, now: now)
        if let partial = reading.partial {
            self.partial = partial
            var more = asked
            more.request.part = partial.nextPart
            return copy(more, now: now, into: &actions)
        }
        partial = nil
        progress.failedCount += reading.missingCount
        if !reading.deferred.isEmpty { putOff(reading.deferred, of: asked.batch) }
        guard !reading.copies.isEmpty else { return proceed(now: now, into: &actions) }
        var batch = asked.batch
        batch.keys = reading.copies.map(\.key)
        let number = begin(.store(batch), now: now)
        actions.append(
            .store(
                Batch(
                    number: number, shard: batch.shard, of: asked.request, askedAt: asked.at,
                    copies: reading.copies)))
    }

    /// Entries that did not fit into the answer are requested again, each alone and with a new
    /// fence.
    private mutating func putOff(_ keys: [CacheKey], of batch: Wanted) {
        var later = batch
        later.triesLeft -= 1
        guard later.triesLeft > 0 else { return progress.failedCount += keys.count }
        for key in keys {
            later.keys = [key]
            wanted.append(later)
        }
    }

    /// One of this node's shards has stored a batch, as far as possible.
    package mutating func stored(
        _ number: UInt64, _ stored: Stored, now: Instant, into actions: inout [Action]
    ) {
        guard number == self.number, !isOver, case .store(let batch) = step else { return }
        progress.copiedCount += stored.count
        progress.copiedBytes += stored.bytes
        progress.failedCount += batch.keys.count - stored.count
        note(present: stored.count, of: batch)
        copiedCount += stored.count
        progress.doneCount = max(presentCount, copiedCount)
        if stored.isFull {
            full.insert(FullPlace(shard: batch.shard, namespace: batch.namespace))
        }
        proceed(now: now, into: &actions)
    }

    /// The hottest are listed twice, and count once.
    private mutating func note(present count: Int, of batch: Wanted) {
        if !batch.isHottest { presentCount += count }
        progress.doneCount = max(presentCount, copiedCount)
    }
}
