import ByteCoding
import CacheAccess
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// How loads begin, and how readers share them.
extension ShardCore {
    /// Keeps a GET until its requested loads have ended.
    mutating func waitForLoads(
        _ wishes: [LoadWish], of plan: Plan, _ context: borrowing RequestContext,
        into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        let now = context.now
        let prefetchCount = wishes.count { $0.urgency == .prefetch }
        guard hasRoomToWait(plan), loads.mayPrefetch(prefetchCount) else {
            return answerBusy(plan, now: now, into: &replies)
        }
        let policy = namespaces.policy(of: plan.namespace)
        var state = context.loads ?? newLoads(of: plan, now: now)
        state.isLate = false
        state.prefetchCount = prefetchCount
        for wish in wishes {
            state.forget(wish.operation)
            state.counts[wish.operation, default: 0] += 1
        }
        var deadline = state.deadline
        if let soft = softTimeout(of: policy, now: now), wishes.allSatisfy({ $0.fallsBack }) {
            deadline = min(deadline, now.advanced(by: soft))
        }
        let id = waiting.insert(
            plan.frame, deadline: deadline,
            condition: .loads(leftCount: wishes.count), now: now)
        waiting.noteProgress(
            of: id, orderedAt: plan.orderedAt, hasPassedHead: plan.hasPassedHead,
            hasReadDisk: true)
        waiting.setLoads(state, of: id)
        loads.beginWait(prefetchCount: prefetchCount)
        for wish in wishes {
            var reader = LoadReader(
                request: id, operation: wish.operation, askedAt: state.askedAt,
                urgency: wish.urgency)
            reader.freshness = wish.freshness
            reader.isForPeer = wish.isForPeer
            place(reader, wish, of: plan, now: now, effects: &effects)
        }
    }

    /// After how long a reader gets the held value. Without a lease there is always a limit, so
    /// that no reader waits for a slow origin.
    private func softTimeout(of policy: NamespacePolicy, now: Instant) -> Duration? {
        let isPaced = policy.suspect == .serveThenRevalidate && !holdsLease(at: now)
        return policy.origin?.softTimeout ?? (isPaced ? ShardLimits.suspectSoftTimeout : nil)
    }

    private func newLoads(of plan: Plan, now: Instant) -> RequestLoads {
        RequestLoads(
            askedAt: log.applied.position, taggedAt: log.taggedAt,
            deadline: askerDeadline(of: plan, now: now))
    }

    /// Adds a reader to the load under way, or begins another.
    private mutating func place(
        _ reader: LoadReader, _ wish: LoadWish, of plan: Plan, now: Instant,
        effects: inout [ShardEffect]
    ) {
        let key = LoadKey(namespace: plan.namespace.rawValue, bytes: [UInt8](wish.key))
        let asker = admission.shareholder(plan.frame.principal)?.rawValue
        let suffices = loads.newest(of: key).map { mayShare($0, wish, now: now) } ?? false
        switch loads.place(reader, for: key, of: asker, newestSuffices: suffices) {
        case .joined(let left, let hastened):
            if let left { effects.append(.leavePeer(number: left)) }
            if let hastened { effects.append(.hasten(number: hastened)) }
        case .queued: break
        case .begins:
            if wish.isRevalidation { loads.revalidationBegins(of: wish.hash, now: now) }
            var manner = LoadManner(urgency: reader.urgency, readers: [reader])
            manner.asker = asker
            manner.trace = plan.message.fields.traceContext
            begin(key, wish.hash, manner, now: now, effects: &effects)
        case .full:
            let failure = LoadResult(
                .failed(.overloaded, retryAfter: nil), fill: .none, endedAt: now)
            waiting.loadEnded(reader.request, operation: reader.operation, with: failure)
        }
    }

    /// Whether a reader that asks now may share a load that began earlier: the key was not stored
    /// or removed since, and no invalidation that covers it was applied. Invalidations of its tags
    /// are checked when the load ends.
    private mutating func mayShare(_ load: KeyLoad, _ wish: LoadWish, now: Instant) -> Bool {
        guard wish.freshness != .new || load.begunAt == now else { return false }
        guard !load.mayAskPeer || load.freshness.suffices(for: wish.freshness) else {
            return false
        }
        guard loads.leases.holds(wish.hash, nonce: load.nonce) || !options.guards.isOn(.joiners)
        else {
            return false
        }
        let asOfThen = StoreCandidate(
            hash: wish.hash, namespace: NamespaceNumber(load.key.namespace), key: wish.key,
            value: UnsafeRawBufferPointer(start: nil, count: 0), fill: log.stamp(of: load.position))
        return entries.memory.isUncovered(asOfThen) || !options.guards.isOn(.joiners)
    }

    /// Begins a load. It first takes its token: the position, and the key's load lease.
    mutating func begin(
        _ key: LoadKey, _ hash: KeyHash, _ manner: LoadManner, now: Instant,
        effects: inout [ShardEffect]
    ) {
        let number = NamespaceNumber(key.namespace)
        let policy = namespaces.policy(of: number)
        guard let origin = policy.origin, let name = CacheKey(bytes: key.bytes),
            let namespace = Namespace(namespaces.name(of: number))
        else {
            let failure = LoadResult(
                .failed(.noOrigin, retryAfter: nil), fill: .none, endedAt: now)
            return tell(failure, to: manner.readers)
        }
        let nonce = loads.leases.take(hash, now: now, duration: origin.timeout)
        let asked = manner.isConditional ? askedAbout(key, hash, now: now) : nil
        let mayAskPeer =
            manner.mayAskPeer && cluster.isReplicated && origin.coalescing == .cluster
            && holdsLease(at: now)
        var load = KeyLoad(
            key, LoadToken(position: log.applied.position, nonce: nonce), urgency: manner.urgency,
            readers: manner.readers, now: now)
        load.validator = asked?.validator
        load.heldIdentity = identity(of: key, hash, now: now)
        load.mayAskPeer = mayAskPeer
        load.freshness = manner.freshness
        load.asker = manner.asker
        var request = OriginRequest(
            namespace: namespace, key: name, validator: asked?.validator, policy: origin,
            valueBytesMax: policy.valueBytesMax, timeout: origin.timeout)
        request.held = asked?.terms
        request.trace = manner.trace
        effects.append(
            .load(
                ShardLoad(
                    number: loads.begin(load, isCounted: manner.isCounted), request: request,
                    urgency: manner.urgency,
                    peer: mayAskPeer
                        ? PeerTerms(atLeast: log.applied.position, freshness: manner.freshness)
                        : nil)))
    }

    /// The validator for a conditional request, and the terms of the held value.
    private mutating func askedAbout(
        _ key: LoadKey, _ hash: KeyHash, now: Instant
    ) -> (validator: Validator, terms: LoadTerms?)? {
        let namespace = NamespaceNumber(key.namespace)
        return key.bytes.withUnsafeBytes { bytes in
            entries.memory.renewable(hash, namespace: namespace, key: bytes, now: now).flatMap {
                entry in
                Validator(bytes: [UInt8](entry.validator)).map { ($0, entry.terms) }
            }
        }
    }

    /// Identity of the held value, whether it is fresh or can only be revalidated; `nil`: none.
    mutating func identity(
        of key: LoadKey, _ hash: KeyHash, now: Instant
    ) -> UInt64? {
        let namespace = NamespaceNumber(key.namespace)
        return key.bytes.withUnsafeBytes { bytes in
            let entry =
                entries.memory.peek(hash, namespace: namespace, key: bytes, now: now)
                ?? entries.memory.renewable(hash, namespace: namespace, key: bytes, now: now)
            return entry.map { entries.memory.identity(of: $0) }
        }
    }

    /// Begins background loads, unless the key is being loaded already. Those of a message that
    /// then waits for other loads are not counted.
    mutating func beginRefreshes(
        of plan: Plan, _ context: borrowing RequestContext, effects: inout [ShardEffect]
    ) {
        guard let through = context.through, !through.refreshes.isEmpty else { return }
        let asker = admission.shareholder(plan.frame.principal)?.rawValue
        for wish in through.refreshes {
            let key = LoadKey(namespace: plan.namespace.rawValue, bytes: [UInt8](wish.key))
            guard loads.mayRefresh(key, of: asker) else { continue }
            var manner = LoadManner(urgency: wish.urgency)
            manner.asker = asker
            manner.freshnessBehind = wish.freshness
            manner.isCounted = through.wishes.isEmpty
            manner.trace = plan.message.fields.traceContext
            begin(key, wish.hash, manner, now: context.now, effects: &effects)
        }
    }

    /// Passes the result to waiting readers. Some may have gone. A prefetching asker does not see
    /// the value, and none is held for it.
    mutating func tell(_ result: LoadResult, to readers: [LoadReader]) {
        var unseen: LoadResult?
        for reader in readers {
            var told = result
            if reader.urgency == .prefetch, !reader.isForPeer {
                told = unseen ?? result.withoutValue()
                unseen = told
            }
            waiting.loadEnded(reader.request, operation: reader.operation, with: told)
        }
    }
}

/// The parameters of a load.
struct LoadManner {
    var urgency: LoadUrgency
    /// The readers that wait for it.
    var readers: [LoadReader] = []
    /// Whether the request to the origin is conditional, if a value is held.
    var isConditional = true
    /// The required freshness if no reader waits.
    var freshnessBehind = LoadFreshness.any
    /// Whether a peer could return a usable value.
    var peersMayHelp = true
    /// The asker whose share of the loads it uses; `nil`: no share.
    var asker: UInt32?
    /// Whether the counters of loads include it.
    var isCounted = true
    /// The external request for which it began.
    var trace: TraceContext?

    /// The required freshness of a peer's value.
    var freshness: LoadFreshness {
        .forAll([freshnessBehind] + readers.map(\.freshness))
    }

    /// Whether a peer may be asked, if there is one.
    var mayAskPeer: Bool { peersMayHelp && !readers.contains(where: \.isForPeer) }
}
