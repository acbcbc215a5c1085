import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// Prefetching: no reader waits for the values, and a prefetch does not count as a use of the
/// entry.
///
///     fresh ─▶ HIT, MISS NEGATIVE      else: a load of the lowest urgency
///                                      it has ended ─▶ the entry now, or why there is none
extension ShardCore {
    /// Answers one operation without a value, or requests a load.
    mutating func prefetch(
        _ lookup: Lookup, _ context: inout RequestContext, into writer: inout ByteWriter
    ) {
        // A prefetch is not a read, but was counted as one with its message.
        context.counters.gets -= 1
        guard namespaces.isConfigured else {
            return OperationResult.append(
                .behind, flags: .suspect, detail: BehindReason.lease.rawValue, to: &writer)
        }
        guard let demand = context.through?.demand,
            namespaces.policy(of: context.namespace).origin != nil
        else {
            return answer(.noOrigin, into: &writer)
        }
        if let result = context.loads?.results[lookup.index] {
            return answer(prefetched: result, lookup, &context, into: &writer)
        }
        guard context.holdsLease else {
            return OperationResult.append(
                .behind, flags: .suspect, detail: BehindReason.lease.rawValue, to: &writer)
        }
        if let entry = freshEntry(lookup, within: demand.ageMax, context) {
            context.counters.prefetches += 1
            context.counters.prefetchesFresh += 1
            return answer(entry, tier: .memory, now: context.now, into: &writer)
        }
        if context.loads?.counts[lookup.index] != nil {
            return answer(.stillLoading, into: &writer)
        }
        guard !isDraining else { return answer(.cancelled, into: &writer) }
        context.through?.wishes.append(
            LoadWish(
                operation: lookup.index, hash: lookup.hash, key: lookup.operation.key,
                fallsBack: false,
                freshness: demand.ageMax.map { .noOlder(than: $0) } ?? .any,
                urgency: .prefetch))
    }

    /// The entry, fresh and no older than requested, which may be negative; the lookup is not
    /// counted.
    private mutating func freshEntry(
        _ lookup: Lookup, within ageMax: Duration?, _ context: borrowing RequestContext
    ) -> EntryView? {
        let now = context.now
        let entry = entries.memory.peek(
            lookup.hash, namespace: context.namespace, key: lookup.operation.key, now: now)
        guard let entry, !entry.isSoft, !entry.isPastLifetime(at: now),
            ageMax.map({ entry.age(at: now) <= $0 }) ?? true
                || !options.guards.isOn(.prefetchAge)
        else { return nil }
        return entry
    }

    private mutating func answer(
        prefetched result: LoadResult, _ lookup: Lookup, _ context: inout RequestContext,
        into writer: inout ByteWriter
    ) {
        context.counters.prefetches += 1
        let (now, ageMax) = (context.now, context.through?.demand.ageMax)
        if case .failed(let failure, let retryAfter) = result.content {
            // A value stored meanwhile suffices as well; one that was too old before does not.
            if context.holdsLease, let entry = freshEntry(lookup, within: ageMax, context) {
                return answer(entry, tier: .memory, now: now, into: &writer)
            }
            return answer(failure, retryAfter: retryAfter, into: &writer)
        }
        // The origin's new value cannot be younger, whatever age it states. Any other entry
        // suffices as well if it is not too old.
        if context.holdsLease, let entry = freshEntry(lookup, within: nil, context),
            entries.memory.identity(of: entry) == result.identity
        {
            return answer(entry, tier: .origin, now: now, into: &writer)
        }
        if context.holdsLease, let entry = freshEntry(lookup, within: ageMax, context) {
            return answer(entry, tier: .memory, now: now, into: &writer)
        }
        // The value came, and was not stored: the origin forbids it, an invalidation came in
        // between, or there was no space.
        let flags: ResultFlags = context.holdsLease ? [] : .suspect
        OperationResult.append(
            .miss, flags: isOvertaken(result, lookup, context) ? flags.union(.overtaken) : flags,
            to: &writer)
    }

    private mutating func isOvertaken(
        _ result: LoadResult, _ lookup: Lookup, _ context: borrowing RequestContext
    ) -> Bool {
        switch result.content {
        case .value(_, let facts), .inMemory(let facts, _), .absent(let facts):
            loadedFlags(facts, of: result, lookup, context).contains(.overtaken)
        case .held, .failed: false
        }
    }

    private func answer(
        _ entry: EntryView, tier: Tier, now: Instant, into writer: inout ByteWriter
    ) {
        let start = writer.count
        let flags: ResultFlags = entry.isNegative ? .negative : entry.isUnfenced ? .unfenced : []
        OperationResult.append(
            entry.isNegative ? .miss : .hit, flags: flags,
            detail: entry.isNegative ? 0 : tier.rawValue, to: &writer)
        OperationResult.setTimes(
            age: entry.ageMilliseconds(at: now),
            ttl: entry.ttlMilliseconds(at: now), at: start, in: &writer)
    }

    private func answer(
        _ failure: LoadFailure, retryAfter: Duration? = nil, into writer: inout ByteWriter
    ) {
        let start = writer.count
        OperationResult.append(.failed, detail: failure.rawValue, to: &writer)
        if let retryAfter {
            OperationResult.appendField(
                retryAfterMilliseconds: UInt32(clamping: max(1, retryAfter.wholeMilliseconds)),
                to: &writer)
        }
        OperationResult.finishFields(from: start, in: &writer)
    }
}
