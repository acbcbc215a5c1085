import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

/// Which keys this shard answers for: docs/decisions/0084.
extension ShardCore {
    /// Whether a message about keys is answered here. If not its asker is told BUSY: by the
    /// topology version of that answer it learns to ask elsewhere.
    ///
    /// What was done already is answered whoever owns its keys now.
    func isAnsweredHere(_ plan: Plan) -> Bool {
        if ownership.isUnchecked || !options.guards.isOn(.ownership) { return true }
        // Only of reads: whoever names a node by himself sends the version, too.
        if plan.message.type == .get,
            ownership.trusts(plan.message.fields.topologyVersion, at: applied.position)
        {
            return true
        }
        guard plan.orderedAt == nil, writesAtHand == nil, plan.message.type != .chunk else {
            return true
        }
        return answersForKeys(
            of: plan.message, in: plan.message.fields.namespace ?? Self.defaultName)
    }

    private func answersForKeys(
        of message: MessageView, in namespace: UnsafeRawBufferPointer
    ) -> Bool {
        var reader = ByteReader(message.body)
        var tags: [UnsafeRawBufferPointer] = []
        for _ in 0..<message.count {
            let key = Self.planned { () throws(WireRefusal) in
                try Self.nextKey(of: message.type, &reader, tags: &tags)
            }
            // What is no key is refused by itself.
            guard (1...CacheKey.bytesMax).contains(key.count) else { continue }
            let route = RouteHash(StableHash.route(namespace, key))
            guard ownership.answers(route, at: applied.position) else { return false }
        }
        return true
    }

    /// Obeys a record that says who the members are.
    mutating func apply(_ membership: Membership, at stamp: FillStamp, now: Instant) {
        hide(ownership.apply(membership, at: position(of: stamp)), at: stamp, now: now)
    }

    /// Holds what is in force against the newest report, as far as the log has been obeyed.
    mutating func reconcileMembers(now: Instant) {
        let consequence = ownership.reconcile(at: applied.position)
        guard case .hides = consequence, stepOn() else { return }
        hide(consequence, at: appliedStamp, now: now)
    }

    /// The cluster is of another kind. Between the record that says so and the report, which comes
    /// later, this shard has stored as in the kind before.
    mutating func hideOtherKind(now: Instant) {
        if stepOn() { hide(keeping: nil, at: appliedStamp, now: now) }
    }

    /// No record lies between what is hidden and what is stored from now on.
    ///
    /// - Returns: `false` if there is no place left to step on to.
    private mutating func stepOn() -> Bool {
        guard epochOrdinal < .max else { return false }
        epochOrdinal += 1
        disk?.epochOrdinal = epochOrdinal
        return true
    }

    private mutating func hide(
        _ consequence: ShardOwnership.Consequence, at stamp: FillStamp, now: Instant
    ) {
        guard case .hides(let keeps) = consequence else { return }
        hide(keeping: keeps, at: stamp, now: now)
        owners = ownership.membersInForce.map(Self.owners)
        // A tier of an earlier life may be of these very members.
        guard let disk, disk.owners != owners else { return }
        disk.reset()
        if let owners { disk.owners = owners }
    }
    private mutating func hide(
        keeping keeps: (@Sendable (UInt64) -> Bool)?, at stamp: FillStamp, now: Instant
    ) {
        guard options.guards.isOn(.movedKeys) else { return }
        tier.nameNamespaces(namespaces.names)
        tier.move(at: stamp, now: now, keeping: keeps)
    }
}
