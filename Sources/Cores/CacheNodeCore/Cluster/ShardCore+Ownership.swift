import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

/// The keys for which this shard answers: docs/decisions/0084.
extension ShardCore {
    /// Whether a message about keys is answered here. If not, its asker gets BUSY: the topology
    /// version of that answer tells it to ask elsewhere.
    ///
    /// An executed operation is answered, whichever node owns its keys now.
    func isAnsweredHere(_ plan: Plan, _ evidence: RequestEvidence) -> Bool {
        if cluster.answersEveryKey || !options.guards.isOn(.ownership) { return true }
        // Only for reads: a client that chooses the node itself sends the version, too.
        if plan.message.type == .get,
            cluster.trusts(plan.message.fields.topologyVersion, at: log.applied.position)
        {
            return true
        }
        guard plan.orderedAt == nil, evidence.writes == nil, plan.message.type != .chunk else {
            return true
        }
        return answersKeys(of: plan)
    }

    /// Not inlined: the message would be copied for every request, checked or not.
    @inline(never)
    private func answersKeys(of plan: Plan) -> Bool {
        cluster.answersKeys(of: plan.message, at: log.applied.position)
    }

    /// Applies a record that states the members.
    mutating func apply(_ membership: Membership, at stamp: FillStamp, now: Instant) {
        hide(cluster.apply(membership, at: log.position(of: stamp)), at: stamp, now: now)
    }

    /// Compares the members in force with the newest report, as far as the log is applied.
    mutating func reconcileMembers(now: Instant) {
        let consequence = cluster.reconcileMembers(at: log.applied.position)
        guard case .hides = consequence, stepOn() else { return }
        hide(consequence, at: log.appliedStamp, now: now)
    }

    /// The cluster has another kind. Between the record of that change and the report, which comes
    /// later, this shard has stored as in the old kind.
    mutating func hideOtherKind(now: Instant) {
        if stepOn() { hide(keeping: nil, at: log.appliedStamp, now: now) }
    }

    /// Advances the stamp without a record, so that entries stored from now on are above the hidden
    /// ones.
    ///
    /// - Returns: `false` if there is no further stamp.
    private mutating func stepOn() -> Bool {
        guard log.stepOn() else { return false }
        entries.setEpochOrdinal(log.epochOrdinal)
        return true
    }

    private mutating func hide(
        _ consequence: ShardOwnership.Consequence, at stamp: FillStamp, now: Instant
    ) {
        guard case .hides(let keeps) = consequence else { return }
        hide(keeping: keeps, at: stamp, now: now)
        cluster.updateOwners()
        entries.ownersChanged(to: cluster.owners)
    }

    private mutating func hide(
        keeping keeps: (@Sendable (UInt64) -> Bool)?, at stamp: FillStamp, now: Instant
    ) {
        guard options.guards.isOn(.movedKeys) else { return }
        entries.memory.nameNamespaces(namespaces.names)
        entries.memory.move(at: stamp, now: now, keeping: keeps)
    }
}
