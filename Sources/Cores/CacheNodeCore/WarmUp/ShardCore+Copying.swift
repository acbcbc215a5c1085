import CacheDisk
import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

/// Entries that a new node's shard copies from another node: docs/decisions/0091.
extension ShardCore {
    /// Which of these keys are missing here, and the fence for a peer's values.
    ///
    /// - Returns: `nil` while nothing can be stored: the shard does not know its starting position
    ///   or its configuration yet, or the node is leaving.
    package mutating func claim(
        _ keys: [CacheKey], in namespace: Namespace, now: Instant
    ) -> WarmUp.Claimed? {
        guard cluster.isReplicated, namespaces.isConfigured, !isDiskAwaited,
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
                return mayCopy(hash, number, bytes, now: now)
                    && !entries.isOnDisk(bytes, number, namespaces.names)
            }
            if isMissing { missing.append(index) }
        }
        return WarmUp.Claimed(fence: fence, missing: missing)
    }

    /// Stores a peer's entries, each by the rules of a value with a token.
    ///
    /// Nothing is evicted for them.
    package mutating func store(_ batch: WarmUp.Batch, now: Instant) -> WarmUp.Stored {
        var stored = WarmUp.Stored()
        guard batch.fence.stamp.epochOrdinal == log.epochOrdinal, cluster.isReplicated,
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
            !isDoubtful(copy, policy), isAlive(copy, of: batch, now: now)
        else { return .passedOver }
        let section = termsAndETag(of: copy, policy)
        return copy.key.bytes.withUnsafeBytes { key in
            let hash = entries.memory.hash(namespace: number, key: key)
            guard mayCopy(hash, number, key, now: now) else { return .passedOver }
            return copy.value.withUnsafeBytes { value in
                section.bytes.withUnsafeBytes { validator in
                    copy.facts.representation.stored.withUnsafeBytes { representation in
                        var candidate = StoreCandidate(
                            hash: hash, namespace: number, key: key, value: value,
                            fill: fill(behind: batch.fence))
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
                            $0.place(candidate, section.terms, now: now)
                        }
                    }
                }
            }
        }
    }

    private mutating func place(
        _ candidate: StoreCandidate, _ terms: LoadTerms, now: Instant
    ) -> CopyFate {
        let hasRoom = tags.withUnsafeBufferPointer {
            var tagged = candidate
            tagged.tags = $0
            return entries.memory.entries.hasRoom(for: tagged)
        }
        guard hasRoom else { return .full }
        guard admit(candidate, now: now) == nil else { return .passedOver }
        // The store was not requested by a client.
        statistics.stored -= 1
        statistics.copies += 1
        if terms.areAny { namespaces.noteTerms(in: candidate.namespace) }
        return .stored
    }

    /// The position as of which a copy counts as read: the one applied here before the peer was
    /// asked. The peer had applied as much of the same log, and vouched for the value after that.
    private func fill(behind fence: WarmUp.Fence) -> FillStamp {
        guard options.guards.isOn(.copyFence) else { return log.appliedStamp }
        return min(fence.stamp, log.appliedStamp)
    }

    /// Whether a copy may be stored: the key has no fresh entry, is not being loaded, and has no
    /// waiting write.
    private mutating func mayCopy(
        _ hash: KeyHash, _ number: NamespaceNumber, _ key: UnsafeRawBufferPointer, now: Instant
    ) -> Bool {
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

    /// Whether its lifetime may have been cut because it came from a lagging replica.
    private func isDoubtful(_ copy: WarmUp.Copy, _ policy: NamespacePolicy) -> Bool {
        guard policy.replicaLag > .zero, let lifetime = copy.facts.lifetime else { return false }
        return lifetime + copy.facts.age <= policy.replicaLag + ShardLimits.ageError * 2
    }

    /// Its lifetime counts from the request to the peer: it never grows on its way.
    private func isAlive(_ copy: WarmUp.Copy, of batch: WarmUp.Batch, now: Instant) -> Bool {
        copy.facts.lifetime.map { now < batch.askedAt.advanced(by: $0) } ?? true
    }

    /// The terms and ETag of an entry, in stored form. If the node loads nothing, an ETag is from
    /// its writer, not from a load.
    private func termsAndETag(
        of copy: WarmUp.Copy, _ policy: NamespacePolicy
    ) -> (terms: LoadTerms, bytes: [UInt8]) {
        let terms = LoadTerms(
            staleWhileRevalidate: copy.facts.staleWhileRevalidate ?? .zero,
            staleIfError: copy.facts.staleIfError ?? .zero, isNegative: false
        ).limited(to: ShardLimits.staleWindowMax)
        if policy.readsThrough { return (terms, section(of: copy.facts, terms)) }
        let validator = copy.facts.validator
        return (terms, terms.areAny ? terms.stored(with: validator) : validator?.bytes ?? [])
    }
}
