import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// When an entry that is stored or touched now expires; `nil`: never.
    ///
    /// The namespace's longest time to live is an upper bound, and its jitter reduces the result.
    mutating func expiry(
        _ timeToLive: UInt64, _ policy: NamespacePolicy, now: Instant
    ) -> Instant? {
        var duration: Duration?
        switch timeToLive {
        case SetOperation.ttlDefault: duration = policy.timeToLive
        case SetOperation.ttlNever: duration = nil
        default: duration = .milliseconds(Int64(clamping: timeToLive))
        }
        if let longest = policy.timeToLiveMax { duration = min(duration ?? longest, longest) }
        return duration.map { now.advanced(by: jittered($0, policy.timeToLiveJitter)) }
    }

    /// When the lifetime of an entry that is touched now ends; `nil`: never. Its windows follow.
    ///
    /// If replicas lag, an entry that ends within one lag of its store may have been cut to that
    /// because it may be old; its end is not extended.
    mutating func touchedEnd(
        _ operation: TouchOperation, _ hash: KeyHash, _ namespace: NamespaceNumber, now: Instant
    ) -> Instant? {
        let policy = namespaces.policy(of: namespace)
        let wanted = expiry(operation.timeToLive, policy, now: now)
        guard policy.replicaLag > .zero, options.guards.isOn(.shortLives),
            let entry = entries.memory.peek(
                hash, namespace: namespace, key: operation.key, now: now),
            let end = entry.freshUntil
        else { return wanted }
        let life = entry.age(at: now) + end.elapsed(since: now)
        guard life <= policy.replicaLag + ShardLimits.ageError else { return wanted }
        return min(wanted ?? end, end)
    }

    /// Reduces the duration by a part of it, from nothing up to `jitter`.
    ///
    /// Uses multiples of the golden ratio, so that entries stored in one burst expire evenly
    /// spread.
    private mutating func jittered(_ duration: Duration, _ jitter: Percent) -> Duration {
        guard jitter > .none else { return duration }
        jitterDraw &+= 0x9E37_79B9_7F4A_7C15
        let nanoseconds = duration.wholeNanoseconds
        let cut = UInt64(jitter.of(Int(clamping: nanoseconds)))
        return .nanoseconds(
            Int64(clamping: nanoseconds - cut.multipliedFullWidth(by: jitterDraw).high))
    }
}
