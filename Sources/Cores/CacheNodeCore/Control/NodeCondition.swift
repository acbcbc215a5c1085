import CacheInvalidation
import CacheModel

/// What a node's state is computed from, and why it is not live.
struct NodeCondition {
    let link: PublisherLink
    let authority: LeaseAuthority
    let subscriber: Subscriber
    let isDraining: Bool
    let isConfigured: Bool
    let areShardsBehind: Bool
    let topologyVersion: UInt32
    let cluster: ClusterID

    /// What to tell the shards, if they were told `before` last.
    func standing(after before: NodeStanding, now: Instant) -> NodeStanding {
        var current = NodeStanding(
            state: state, leaseExpiresAt: authority.expiresAt ?? Instant(nanoseconds: 0),
            log: subscriber.log, head: subscriber.knownHead, topologyVersion: topologyVersion)
        current.vouchedUntil = authority.vouchedUntil
        current.cluster = cluster
        let since = current.state == before.state ? before.doubt?.since : nil
        current.doubt = doubt(in: current.state, since: since ?? now, now: now)
        return current
    }

    private var state: NodeState {
        if isDraining { return .draining }
        return switch authority.state {
        case .unheard: .starting
        case .awaited: .syncing
        case .held: subscriber.isRecovering ? .catchingUp : .live
        case .lost: .suspect
        }
    }

    /// Why the node is not live; `nil` for a node that is.
    func doubt(in state: NodeState, since: Instant, now: Instant) -> StandingDoubt? {
        guard state != .live else { return nil }
        var doubt = StandingDoubt(reason(in: state, now: now), since: since)
        doubt.answeredAt = link.answeredAt
        doubt.heartbeatAt = link.live.heartbeatAt
        return doubt
    }

    private func reason(in state: NodeState, now: Instant) -> StandingReason {
        if isDraining { return .draining }
        if subscriber.isDiverged { return .diverged }
        guard let silence = link.silence(now: now) else {
            if link.rotation.isLeaderless { return .noLeader }
            return link.answeredAt == nil && link.live.heartbeatAt == nil
                ? .publisherUnheard : .publisherSilent
        }
        if silence >= link.leaseLength / 2, state != .catchingUp { return .publisherSilent }
        if !isConfigured { return .noConfiguration }
        if subscriber.isRecovering { return .replaying }
        if areShardsBehind { return .shardsBehind }
        return authority.isWithheld ? .leaseWithheld : .leaseAwaited
    }
}
