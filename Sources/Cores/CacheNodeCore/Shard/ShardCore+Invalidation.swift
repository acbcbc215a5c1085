package import CacheMemory
package import CacheModel
import CacheWire

extension ShardCore {
    /// Applies records, in order. Each is applied completely before anything else is answered.
    ///
    /// - Parameter isAwaited: a caller waits for the confirmation that they are applied.
    package mutating func apply(
        _ records: [SealedRecord], isAwaited: Bool, now: Instant,
        effects: inout [ShardEffect]
    ) {
        var ahead = ScopesAhead(of: records)
        for _ in 0..<Self.scopesAhead { ahead.next { warm($0, in: $1) } }
        for record in records {
            precondition(
                record.position > log.applied.position,
                "the control thread hands records over in order")
            // A report of the position before a record of slots may have arrived: the record is of
            // that table. Taking it over may step on to another stamp.
            if record.record.slots != nil { reconcileOwners(now: now) }
            let stamp = log.stamp(at: record.position.sequence)
            if record.record.isOfNewerForm {
                applyUnread(at: stamp)
            } else if let slots = record.record.slots {
                apply(slots, at: stamp, now: now, effects: &effects)
            } else if !options.plantedBug.ignores(record.position) {
                record.record.scopes.forEachItem { item in
                    ahead.next { warm($0, in: $1) }
                    apply(item, of: record, at: stamp, now: now)
                }
            }
            log.apply(record.mark)
            entries.noteRecord(log.applied)
            statistics.appliedRecords += 1
        }
        guard !records.isEmpty else { return }
        writes.heldKeys.noteApplied(log.applied.position)
        entries.noteApplied(log.applied)
        log.finishApplying(now: now)
        reportApplied(isAwaited: isAwaited, into: &effects)
    }

    /// How many scopes ahead memory is prefetched: about as many keys as are applied in the time of
    /// one memory access.
    private static var scopesAhead: Int { 8 }

    /// Prefetches the memory that an invalidation of the key accesses.
    private func warm(_ key: UnsafeRawBufferPointer, in namespace: Namespace) {
        guard let number = namespaces.known(namespace) else { return }
        entries.memory.prefetchInvalidation(entries.memory.hash(namespace: number, key: key))
    }

    private mutating func apply(
        _ item: ScopeList.Item, of record: SealedRecord, at stamp: FillStamp, now: Instant
    ) {
        let strength = record.record.strength
        switch item {
        case .key(let key, let namespace):
            // On disk, the removal of a key is recorded by removing its record: it needs no floor.
            let named = NamedKey(bytes: key, namespace: namespace)
            applyKey(named, strength, at: stamp, now: now)
        case .other(let scope):
            if let membership = scope.membership {
                return apply(membership, at: stamp, now: now)
            }
            apply(scope, strength, at: stamp, now: now)
            entries.keepFloor(of: scope, strength, at: record.position)
        }
    }

    private mutating func apply(
        _ scope: Scope, _ strength: InvalidationRecord.Strength, at stamp: FillStamp, now: Instant
    ) {
        switch scope.target {
        case .key(let key, let namespace):
            key.bytes.withUnsafeBytes {
                var named = NamedKey(bytes: $0, namespace: namespace)
                named.minimumVersion = scope.minimumVersion
                applyKey(named, strength, at: stamp, now: now)
            }
        case .tag(let tag, let namespace):
            guard let number = namespaces.number(of: namespace) else { return }
            log.noteTag(at: stamp)
            tag.bytes.withUnsafeBytes {
                apply(.tag(number, $0), scope, strength, at: stamp, now: now)
            }
        case .prefix(let bytes, let namespace):
            guard let number = namespaces.number(of: namespace) else { return }
            bytes.withUnsafeBytes {
                apply(.prefix(number, $0), scope, strength, at: stamp, now: now)
            }
        case .namespace(let namespace):
            guard let number = namespaces.number(of: namespace) else { return }
            apply(.namespace(number), scope, strength, at: stamp, now: now)
        case .everything: apply(.everything, scope, strength, at: stamp, now: now)
        }
    }

    /// A key as named in a record; its bytes are borrowed.
    private struct NamedKey {
        let bytes: UnsafeRawBufferPointer
        let namespace: Namespace
        var minimumVersion: Version?
    }

    private mutating func applyKey(
        _ key: NamedKey, _ strength: InvalidationRecord.Strength, at stamp: FillStamp, now: Instant
    ) {
        guard let number = namespaces.number(of: key.namespace) else {
            // If the table has no space for another namespace, there is no entry and no token in it
            // either. On disk there may be some, of an earlier run.
            entries.removeFromDisk([UInt8](key.bytes), inUnnumbered: key.namespace)
            return
        }
        let hash = entries.memory.hash(namespace: number, key: key.bytes)
        loads.keyInvalidated(hash, voidsLease: options.guards.isOn(.joiners))
        entries.memory.apply(
            .key(number, hash: hash, key: key.bytes, minimumVersion: key.minimumVersion),
            strength: strength, at: stamp, now: now)
        if entries.disk != nil {
            entries.removeFromDisk(
                EntryStore.LocatedKey(hash, number, key.bytes),
                invalidatedAt: log.position(of: stamp), namespaces.names, now: now)
        }
    }

    /// A paced invalidation is applied only to keys in its range.
    private mutating func apply(
        _ covered: TierScope, _ scope: Scope, _ strength: InvalidationRecord.Strength,
        at stamp: FillStamp, now: Instant
    ) {
        guard let range = scope.hashRange else {
            return entries.memory.apply(covered, strength: strength, at: stamp, now: now)
        }
        entries.memory.nameNamespaces(namespaces.names)
        entries.memory.apply(covered, within: range, strength: strength, at: stamp, now: now)
    }

    /// A record that this release cannot read: everything may have changed. An answer about an
    /// earlier forgetting does not include it, and is ignored from now on.
    private mutating func applyUnread(at stamp: FillStamp) {
        statistics.newerRecords += 1
        log.stopPending()
        cluster.forgetOwners(at: log.applied.position, goingOnFrom: log.position(of: stamp))
        entries.hideEverything(at: stamp)
    }

    /// Hides everything filled up to now, because later invalidations are unknown, and continues
    /// from `mark`.
    ///
    /// - Parameters:
    ///   - id: the log of that mark.
    ///   - isPending: ``settle(_:from:)`` will determine what may be served again.
    ///
    /// A run can distinguish 65 535 adoptions. One more also hides everything filled later, until
    /// the node is restarted: a peer that causes epoch after epoch gets misses, not old values.
    package mutating func forget(
        continuingFrom mark: LogMark, of id: LogID = .none, isPending: Bool = false,
        now: Instant, effects: inout [ShardEffect]
    ) {
        let isPending = isPending && !log.isExhausted
        let spares =
            isPending && id != .none && id == log.id
            && entries.mayAwaitAmnesty(appliedUpTo: log.applied, goingOnFrom: mark)
        let last = log.applied
        let isOtherLog = id != .none && log.id != .none && id != log.id
        let stamp = log.forget(continuingFrom: mark, of: id, isPending: isPending, now: now)
        writes.heldKeys.noteApplied(mark.position)
        statistics.forgotten += 1
        cluster.forgetOwners(
            at: last.position, goingOnFrom: mark.position, isOtherLog: isOtherLog)
        entries.memory.quarantineEverything(at: stamp, isPending: isPending)
        entries.setEpochOrdinal(log.epochOrdinal)
        entries.goOnDisk(from: mark, sparedSince: spares ? last : nil)
        reportApplied(isAwaited: true, into: &effects)
    }

    /// Reports this shard's position, once for messages that were handled together.
    private func reportApplied(isAwaited: Bool, into effects: inout [ShardEffect]) {
        var isAwaited = isAwaited
        if case .applied(_, let wasAwaited)? = effects.last {
            effects.removeLast()
            isAwaited = isAwaited || wasAwaited
        }
        effects.append(.applied(log.applied, isAwaited: isAwaited))
    }

    /// The publisher has reported the names covered while this shard did not receive records, or
    /// will not report them.
    ///
    /// - Parameters:
    ///   - touched: since the position that this shard had applied before it forgot.
    ///   - mark: where it continued then. An answer about another forgetting is ignored.
    package mutating func settle(_ touched: TouchedScopes?, from mark: LogMark) {
        guard log.settle(from: mark) else { return }
        entries.settle(touched, namespaces)
    }

    /// A new, empty node adopts the head of its WELCOME.
    package mutating func begin(at mark: LogMark, now: Instant, effects: inout [ShardEffect]) {
        forget(continuingFrom: mark, now: now, effects: &effects)
    }

    /// The node's guarantees have changed.
    package mutating func setStanding(_ standing: NodeStanding) {
        log.standing = standing
        guard standing.wasGrantedLease else { return }
        cluster.noteLease()
        loads.leaseRegained()
    }

    /// The cluster's configuration has changed.
    package mutating func configure(
        _ policies: [Namespace: NamespacePolicy], fallback: NamespacePolicy
    ) {
        namespaces.configure(policies, fallback: fallback)
        let quotas = namespaces.quotas(policies)
        entries.configure(
            quotas.mapValues { $0.part(ofShards: options.shardCount) }, namespaces)
    }

    /// More work is due than one tick completes: the next should come soon.
    package var isTickUrgent: Bool { entries.hasDueWork }

    /// One bounded slice of background work: expired and hidden entries free their memory, idle
    /// uploads are given up.
    package mutating func tick(now: Instant) {
        reconcileOwners(now: now)
        endHandOver(now: now)
        entries.tickMemory(now: now)
        uploads.expire(now: now)
        tickDisk(now: now)
    }
}
