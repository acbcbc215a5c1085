import CacheInvalidation
import CacheModel
import CacheWire

/// Who the members of a sharded cluster are, as the log says it: docs/decisions/0084.
///
///     configuration ─▶ MembershipDesk ─▶ book ─▶ record, moving ─▶ every holder ─▶ record, settled
extension PublisherMind {
    /// Whether every shard knows who the members are, or has no lease; `nil` where there is nothing
    /// to know.
    package var areMembersSettled: Bool? { membership.areSettled }

    /// Goes on with a change of the members as far as it can.
    mutating func continueMembership(now: Instant) {
        let before = membership.areSettled
        if membership.isGreeting, areEarlierMembersGone(now: now) {
            // One in memory that goes on from a node's place must append nothing by itself: another
            // node may stand further.
            let hasRecords = log.outlivesItsProcess && log.head.position.sequence != .none
            membership.greeted(hasRecords: hasRecords)
        }
        if membership.stage == .noting, noteMembers() { membership.noted(now: now) }
        if case .told(let position) = membership.stage,
            haveHoldersApplied(position, now: now) || !plan.guards.isOn(.settledMembers)
        {
            membership.obeyed(now: now)
        }
        if let due = membership.takeDue(now: now) { queueForNobody([Scope(due)]) }
        if membership.areSettled != before { topologyVersion &+= 1 }
        if membership.areSettled == true, log.outlivesItsProcess {
            lives.note(LifeBook.Members(digest: membership.digest, areSettled: true))
        }
    }

    /// Whether no member of an earlier publisher can be in force beside those of now. Without
    /// records on disk the first run of a node that is heard stands for those before it
    /// (docs/decisions/0083).
    private func areEarlierMembersGone(now: Instant) -> Bool {
        let isOnDisk = log.outlivesItsProcess && log.head.position.sequence != .none
        return isOnDisk
            ? grants.inheritedGrantsEnd <= now
            : grants.isEveryNodeHeard || grants.greetingsEnd <= now
    }

    /// The configuration names other members, or another kind of cluster.
    mutating func membershipChanged(to plan: PublisherPlan) {
        guard membership.configured(plan) else { return }
        queueForNobody([Scope(.everything)])
    }

    /// What the topology report says of its nodes.
    var membersNote: MembersNote? {
        membership.areSettled.map { MembersNote(isSettled: $0, asOf: log.head.position) }
    }

    /// - Returns: whether whoever reads the book later learns that keys move.
    private mutating func noteMembers() -> Bool {
        guard log.outlivesItsProcess else { return true }
        lives.note(LifeBook.Members(digest: membership.digest, areSettled: false))
        return isKept(lives.membersChange)
    }

    private func haveHoldersApplied(_ position: LogPosition, now: Instant) -> Bool {
        grants.holders(at: now).allSatisfy { run in
            grants.entry(of: run)?.applied.map { $0 >= position } ?? false
        }
    }

    private mutating func queueForNobody(_ scopes: [Scope]) {
        var request = InvalidateRequest(
            scopes: scopes, wait: .all, timeoutMilliseconds: 0, operation: .none)
        request.issuer = .publisher
        queue.append(
            Queued(asker: nil, request: request, deadline: Instant(nanoseconds: .max), bytes: 0))
    }

    /// Records of members are in the log.
    mutating func noteMembership(_ placed: [Placed]) {
        for one in placed {
            guard let told = one.queued.membership else { continue }
            membership.appended(told, at: one.position)
            guard membership.stage == .settled else { continue }
            topologyVersion &+= 1
        }
    }
}

extension PublisherMind.Queued {
    /// Who the members are, if that is what it says.
    var membership: Membership? { asker == nil ? request.scopes.first?.membership : nil }
}

extension PublisherPlan {
    /// What decides which keys are whose.
    var members: [Membership.Member] {
        nodes.map {
            Membership.Member(
                node: $0.id, shards: UInt16(clamping: $0.shards),
                weightThousandths: $0.weightThousandths)
        }
    }
}
