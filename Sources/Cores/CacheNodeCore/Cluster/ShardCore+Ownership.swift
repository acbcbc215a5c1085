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
    @inline(__always) func isAnsweredHere(_ plan: Plan, _ evidence: RequestEvidence) -> Bool {
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

    /// Applies a record that assigns slots. The report of the position before it was taken over.
    mutating func apply(
        _ record: SlotRecord, at stamp: FillStamp, now: Instant, effects: inout [ShardEffect]
    ) {
        let change = cluster.apply(
            record, at: log.position(of: stamp), before: log.applied.position,
            isVouching: log.standing.holdsLease(at: now), now: now)
        hide(change.consequence, at: stamp, now: now)
        if !change.arrivals.isEmpty { effects.append(.arriving(change.arrivals)) }
    }

    /// Applies a record that states the members.
    mutating func apply(_ membership: Membership, at stamp: FillStamp, now: Instant) {
        hide(cluster.apply(membership, at: log.position(of: stamp)), at: stamp, now: now)
    }

    /// Compares the owners in force with the newest report, as far as the log is applied.
    mutating func reconcileOwners(now: Instant) {
        hide(cluster.reconcile(at: log.applied.position), now: now)
    }

    /// The cluster has another kind. Between the record of that change and the report, which comes
    /// later, this shard has stored as in the old kind.
    mutating func hideOtherKind(now: Instant) {
        if stepOn() { entries.hideMoved(nil, at: log.appliedStamp, namespaces, now: now) }
    }

    /// A report, and no record, has an effect. Where it names other slots than were known before a
    /// gap, entries that were spared at the position where the shard goes on are hidden, too.
    mutating func hide(_ consequence: ShardOwnership.Consequence, now: Instant) {
        if case .hides = consequence { stepOn() }
        hide(consequence, at: log.appliedStamp, now: now)
    }

    /// Advances the stamp without a record, so that entries stored from now on are above the hidden
    /// ones. Tokens and loads of before would be above every floor that has risen: none is trusted.
    ///
    /// - Returns: `false` if there is no further stamp.
    @discardableResult
    private mutating func stepOn() -> Bool {
        guard log.stepOn() else { return false }
        if options.guards.isOn(.slotsTokens) {
            entries.memory.refuseTokens(below: log.appliedStamp)
        }
        entries.setEpochOrdinal(log.epochOrdinal)
        return true
    }

    private mutating func hide(
        _ consequence: ShardOwnership.Consequence, at stamp: FillStamp, now: Instant
    ) {
        if case .none = consequence { return }
        let before = cluster.owners
        cluster.updateOwners()
        switch consequence {
        case .none: break
        case .adopts: entries.ownersChanged(to: cluster.owners)
        case .hides(let keeps):
            entries.hideMoved(keeps, at: stamp, namespaces, now: now)
            entries.ownersChanged(to: cluster.owners)
        case .moves(let keeps):
            entries.hideMoved(keeps, at: stamp, namespaces, now: now)
            entries.ownersMoved(from: before, to: cluster.owners)
        }
        entries.setSlotFloors(cluster.slotsSince, sparing: cluster.handOver.departures.slots)
    }

    /// Ends the hand-over of slots that moved long ago.
    mutating func endHandOver(now: Instant) {
        hide(cluster.endHandOver(now: now), at: log.appliedStamp, now: now)
    }
}
