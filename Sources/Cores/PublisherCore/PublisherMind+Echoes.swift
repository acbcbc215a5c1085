import CacheInvalidation
import CacheModel
import CacheWire

/// Replica lag: an invalidation in a namespace that is read from replicas of its database is
/// repeated when the replicas have caught up.
///
/// Echoes are not stored across a restart. Entries filled meanwhile expire by themselves one lag
/// after their fill: nodes ensure that.
extension PublisherMind {
    /// Plans the echoes of records that are in the log. A record that orders a store has none,
    /// because its value comes from the writer; an echo has none either.
    mutating func planEchoes(of placed: [Placed], notBefore first: LogPosition, now: Instant) {
        guard plan.hasReplicaLag, plan.guards.isOn(.echoes) else { return }
        for one in placed
        where one.position >= first && (one.queued.requester != nil || one.queued.pacing != nil) {
            guard !one.queued.request.ordersStore else { continue }
            for scope in one.queued.request.scopes {
                planEchoes(of: scope, one.queued.request.strength, now: now)
            }
        }
    }

    private mutating func planEchoes(
        of scope: Scope, _ strength: InvalidationRecord.Strength, now: Instant
    ) {
        switch scope.target {
        case .everything where plan.replicaLagDefault == .zero:
            // Repeated only in namespaces whose replicas lag.
            for (namespace, lag) in plan.replicaLags {
                let part = Scope(.namespace(namespace), hashRange: scope.hashRange)
                addEcho(part, strength, after: lag, now: now)
            }
        case .everything: addEcho(scope, strength, after: plan.replicaLagMax, now: now)
        case .key, .tag, .prefix, .namespace:
            let lag = plan.replicaLag(of: scope.parts.namespace)
            addEcho(scope, strength, after: lag, now: now)
        }
    }

    private mutating func addEcho(
        _ scope: Scope, _ strength: InvalidationRecord.Strength, after lag: Duration, now: Instant
    ) {
        guard lag > .zero else { return }
        echoes.add(EchoBook.Echo(scope: scope, strength: strength), after: lag, now: now)
    }

    /// Queues the echoes that are due, as requests without an requester.
    mutating func queueEchoes(now: Instant) {
        guard echoes.count > 0 else { return }
        let due = echoes.takeDue(at: now, countMax: PublisherLimits.echoesPerTurnMax)
        for strength in InvalidationRecord.Strength.allCases {
            var rest = due.filter { $0.strength == strength }.map(\.scope)[...]
            while !rest.isEmpty {
                let scopes = Array(rest.prefix(PublisherLimits.echoScopesPerRecord))
                rest = rest.dropFirst(scopes.count)
                output.statistics.echoes += UInt64(scopes.count)
                var request = InvalidateRequest(
                    scopes: scopes, strength: strength, wait: .none, timeoutMilliseconds: 0,
                    operation: .none)
                request.issuer = .publisher
                queue.append(
                    Queued(
                        requester: nil, request: request, deadline: Instant(nanoseconds: .max),
                        bytes: 0))
            }
        }
    }

    /// An echo could not be appended: it is retried soon.
    mutating func putBack(_ queued: Queued, now: Instant) {
        for scope in queued.request.scopes {
            let echo = EchoBook.Echo(scope: scope, strength: queued.request.strength)
            echoes.add(echo, after: PublisherLimits.echoRetry, now: now)
        }
    }
}
