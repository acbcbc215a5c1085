import CacheDisk
import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

/// Entries that a new node's shard copies from another node: docs/decisions/0091.
extension ShardCore {
    /// Which of these keys are missing here, and the fence for a peer's values.
    ///
    /// - Parameter change: the record that moved their slots here; `nil` for a replica's keys.
    /// - Returns: `nil` while nothing can be stored: the shard does not know its starting position
    ///   or its configuration yet, or the node is leaving.
    package mutating func claim(
        _ keys: [CacheKey], in namespace: Namespace, of change: LogPosition? = nil, now: Instant
    ) -> WarmUp.Claimed? {
        guard mayCopy(of: change), namespaces.isConfigured, !isDiskAwaited,
            !log.isStartAwaited, !isDraining
        else { return nil }
        let fence = WarmUp.Fence(mark: log.applied, stamp: log.appliedStamp)
        guard let number = namespaces.number(of: namespace) else {
            return WarmUp.Claimed(fence: fence, missing: [])
        }
        var missing: [Int] = []
        for (index, key) in keys.enumerated() {
            let isMissing = key.bytes.withUnsafeBytes { bytes in
                let hash = entries.memory.hash(namespace: number, key: bytes)
                // What the disk has of an arrived slot is of an earlier ownership.
                return mayCopy(hash, number, bytes, of: change, now: now)
                    && (change != nil || !entries.isOnDisk(bytes, number, namespaces.names))
            }
            if isMissing { missing.append(index) }
        }
        return WarmUp.Claimed(fence: fence, missing: missing)
    }

    /// Stores a peer's entries, each by the rules of a value with a token.
    ///
    /// Nothing is evicted for them, unless readers wait for these.
    package mutating func store(_ batch: WarmUp.Batch, now: Instant) -> WarmUp.Stored {
        var stored = WarmUp.Stored()
        guard batch.fence.stamp.epochOrdinal == log.epochOrdinal, mayCopy(of: batch.change),
            let number = namespaces.number(of: batch.namespace)
        else { return stored }
        var misfitCount = 0
        for copy in batch.copies {
            switch storeCopy(copy, of: batch, in: number, now: now) {
            case .stored:
                stored.count += 1
                stored.bytes += copy.value.count
            case .passedOver: break
            case .full where copy.value.count > WarmUpLimits.ordinaryValueBytes:
                misfitCount += 1
            case .full:
                stored.isFull = true
                return stored
            }
        }
        stored.isFull = misfitCount > 1 && misfitCount == batch.copies.count
        return stored
    }

    private enum CopyFate { case stored, passedOver, full }

    private mutating func storeCopy(
        _ copy: WarmUp.Copy, of batch: WarmUp.Batch, in number: NamespaceNumber, now: Instant
    ) -> CopyFate {
        let policy = namespaces.policy(of: number)
        guard copy.value.count <= policy.valueBytesMax,
            !copy.isDoubtful(policy), copy.isAlive(askedAt: batch.askedAt, now: now)
        else { return .passedOver }
        let section = copy.termsAndETag(policy)
        return copy.key.bytes.withUnsafeBytes { key in
            let hash = entries.memory.hash(namespace: number, key: key)
            guard mayCopy(hash, number, key, of: batch.change, now: now) else {
                return .passedOver
            }
            return copy.value.withUnsafeBytes { value in
                section.bytes.withUnsafeBytes { validator in
                    copy.facts.representation.stored.withUnsafeBytes { representation in
                        var candidate = StoreCandidate(
                            hash: hash, namespace: number, key: key, value: value,
                            fill: batch.fence.fill(at: log.appliedStamp, options.guards))
                        candidate.isFenced = true
                        candidate.isUnfenced = copy.isUnfenced
                        candidate.version = copy.facts.version
                        candidate.validator = validator
                        candidate.representation = representation
                        candidate.age = copy.facts.age + now.elapsed(since: batch.askedAt)
                        candidate.expiresAt = copy.facts.lifetime.map {
                            batch.askedAt.advanced(by: $0 + section.terms.longestWindow)
                        }
                        return withTags(of: copy.facts) {
                            $0.place(
                                candidate, section.terms, mayEvict: batch.mayEvict, now: now)
                        }
                    }
                }
            }
        }
    }

    private mutating func place(
        _ candidate: StoreCandidate, _ terms: LoadTerms, mayEvict: Bool, now: Instant
    ) -> CopyFate {
        let hasRoom =
            mayEvict
            || tags.withUnsafeBufferPointer {
                var tagged = candidate
                tagged.tags = $0
                return entries.memory.entries.hasRoom(for: tagged)
            }
        guard hasRoom else { return .full }
        let refusal = entries.store(candidate, tags: tags, namespaces.names, now: now)
        guard refusal == nil else { return .passedOver }
        loads.keyStored(candidate.hash)
        statistics.copies += 1
        if terms.areAny { namespaces.noteTerms(in: candidate.namespace) }
        return .stored
    }

    /// Whether copies may be stored: from a replica, or by the hand-over of a record that moved
    /// slots here.
    private func mayCopy(of change: LogPosition?) -> Bool {
        change.map { cluster.handOver.arrivals.awaits($0) } ?? cluster.isReplicated
    }

    /// Whether a copy may be stored: the key has no fresh entry, is not being loaded, has no
    /// waiting write, and if its slot was moved here, was not stored since.
    mutating func mayCopy(
        _ hash: KeyHash, _ number: NamespaceNumber, _ key: UnsafeRawBufferPointer,
        of change: LogPosition?, now: Instant
    ) -> Bool {
        if let change, !mayTake(hash, key, of: change) { return false }
        if let entry = entries.memory.peek(hash, namespace: number, key: key, now: now),
            !entry.isSoft,
            !entry.isPastLifetime(at: now)
        {
            return false
        }
        guard loads.leases.timeLeft(of: hash, now: now) <= .zero else { return false }
        return writes.heldKeys.isEmpty
            || !writes.heldKeys.contains(LoadKey(namespace: number.rawValue, bytes: [UInt8](key)))
    }

    private func mayTake(
        _ hash: KeyHash, _ key: UnsafeRawBufferPointer, of change: LogPosition
    ) -> Bool {
        cluster.handOver.arrivals.mayTake(hash, HashSlot(of: key), of: change)
    }
}
