import CacheInvalidation
import CacheModel
import CacheWire

/// Replica lag: an invalidation in a namespace that is read from replicas of its database is
/// repeated when the replicas have caught up.
///
/// Echoes are not stored across a restart. Entries filled meanwhile expire by themselves one lag
/// after their fill: nodes ensure that.
extension RepetitionSchedule {
    /// Plans the echoes of new records. A record that orders a store has none, because its value
    /// comes from the writer; an echo has none either.
    ///
    /// - Parameter first: the position of the first new record.
    mutating func plan(
        _ placed: [PlacedRequest], since first: LogPosition, _ plan: PublisherPlan, now: Instant
    ) {
        guard plan.hasReplicaLag, plan.guards.isOn(.echoes) else { return }
        for one in placed where one.position >= first && !one.queued.request.ordersStore {
            let request = one.queued.request
            switch one.queued.origin {
            case .client, .answered, .slice:
                for scope in request.scopes { add(scope, request.strength, plan, now: now) }
            case .echo, .members, .slots: break
            }
        }
    }

    private mutating func add(
        _ scope: Scope, _ strength: InvalidationRecord.Strength, _ plan: PublisherPlan,
        now: Instant
    ) {
        switch scope.target {
        case .everything where plan.replicaLagDefault == .zero:
            // Repeated only in namespaces with replicas that lag.
            for (namespace, lag) in plan.replicaLags where lag > .zero {
                let part = Scope(.namespace(namespace), hashRange: scope.hashRange)
                add(Echo(scope: part, strength: strength), after: lag, now: now)
            }
        case .everything:
            add(Echo(scope: scope, strength: strength), after: plan.replicaLagMax, now: now)
        case .key, .tag, .prefix, .namespace:
            let lag = plan.replicaLag(of: scope.parts.namespace)
            if lag > .zero { add(Echo(scope: scope, strength: strength), after: lag, now: now) }
        }
    }

    /// Removes due echoes and returns the requests that repeat them.
    mutating func takeDueRequests(now: Instant) -> [InvalidateRequest] {
        guard count > 0 else { return [] }
        let due = takeDue(at: now, countMax: PublisherLimits.echoesPerTurnMax)
        var requests: [InvalidateRequest] = []
        for strength in InvalidationRecord.Strength.allCases {
            var rest = due.filter { $0.strength == strength }.map(\.scope)[...]
            while !rest.isEmpty {
                let scopes = Array(rest.prefix(PublisherLimits.echoScopesPerRecord))
                rest = rest.dropFirst(scopes.count)
                var request = InvalidateRequest(
                    scopes: scopes, strength: strength, wait: .none, timeoutMilliseconds: 0,
                    operation: .none)
                request.issuer = .publisher
                requests.append(request)
            }
        }
        return requests
    }

    /// An echo could not be appended: it is retried soon.
    mutating func retry(_ request: InvalidateRequest, now: Instant) {
        for scope in request.scopes {
            let echo = Echo(scope: scope, strength: request.strength)
            add(echo, after: PublisherLimits.echoRetry, now: now)
        }
    }
}
