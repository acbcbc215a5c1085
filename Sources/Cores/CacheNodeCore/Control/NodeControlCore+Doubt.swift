import CacheInvalidation
import CacheModel

/// Why the node is not live, as a reason and its times.
extension NodeControlCore {
    /// `nil` for a node that is live.
    func doubt(in state: NodeState, since: Instant, now: Instant) -> StandingDoubt? {
        guard state != .live, !isStopped else { return nil }
        var doubt = StandingDoubt(reason(in: state, now: now), since: since)
        doubt.answeredAt = answeredAt
        doubt.heartbeatAt = heartbeatAt
        return doubt
    }

    private func reason(in state: NodeState, now: Instant) -> StandingReason {
        if isDraining { return .draining }
        if subscriber.isDiverged { return .diverged }
        guard case .joined(let joined) = phase else {
            return answeredAt == nil && heartbeatAt == nil ? .publisherUnheard : .publisherSilent
        }
        let isSilent = joined.heardAt.advanced(by: leaseLength / 2) <= now
        if isSilent, state != .catchingUp { return .publisherSilent }
        if config.held == nil { return .noConfiguration }
        if subscriber.isRecovering { return .replaying }
        if applied != subscriber.applied { return .shardsBehind }
        return isLeaseWithheld ? .leaseWithheld : .leaseAwaited
    }
}
