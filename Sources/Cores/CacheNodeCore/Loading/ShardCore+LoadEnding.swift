import ByteCoding
package import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

/// The end of a load: the value is stored by the same rules as any value with a token, and waiting
/// readers get the result.
extension ShardCore {
    /// A load, or a request for a comparison, has ended. An unknown number is ignored.
    package mutating func loadEnded(
        _ number: UInt64, _ outcome: LoadOutcome, now: Instant, effects: inout [ShardEffect]
    ) {
        guard let (load, average) = loads.end(number, now: now) else {
            return compared(number, outcome, now: now)
        }
        namespaces.setLoadDuration(average, in: NamespaceNumber(load.key.namespace))
        let hash = load.key.bytes.withUnsafeBytes {
            entries.memory.hash(namespace: NamespaceNumber(load.key.namespace), key: $0)
        }
        var manner = LoadManner(urgency: .awaited)
        manner.asker = load.asker
        switch outcome {
        case .failed(.malformed, _) where load.validator != nil:
            // The answer does not match the conditional request. An unconditional one may succeed.
            loads.leases.end(hash, nonce: load.nonce)
            manner.readers = load.readers
            manner.isConditional = false
        case .failed(let failure, let retryAfter):
            loads.failed(load, hash)
            // Without a lease the held value would still be served to all other readers.
            if failure.isRefusal, !holdsLease(at: now) { drop(load, hash, now: now) }
            let result = LoadResult(
                .failed(failure, retryAfter: retryAfter), fill: log.stamp(of: load.position),
                endedAt: now)
            tell(result, to: load.readers)
        case .unchanged(let facts) where !facts.mayStore:
            // The value is loaded in full, for the waiting readers.
            drop(load, hash, now: now)
            manner.readers = load.readers
            manner.isConditional = false
        case .unchanged(let facts): manner.readers = renew(load, hash, facts, now: now)
        case .value(let bytes, let facts):
            manner.readers = keep(load, hash, .value(bytes, facts), facts, now: now)
            manner.peersMayHelp = !isCoarserHere(facts, than: load)
        case .absent(let facts):
            manner.readers = keep(load, hash, .absent(facts), facts, now: now)
            manner.peersMayHelp = !isCoarserHere(facts, than: load)
        }
        manner.readers += loads.takeQueued(load.key)
        // Readers that have stopped waiting need no load.
        manner.readers.removeAll { !waiting.awaitsLoads($0.request) }
        guard let urgency = manner.readers.map(\.urgency).min() else { return }
        manner.urgency = urgency
        begin(load.key, hash, manner, now: now, effects: &effects)
    }

    /// Whether a peer's value was filled before the load began. If it is rejected here, a floor is
    /// coarser than the peer's, and the peer would return the same value again.
    private func isCoarserHere(_ facts: LoadedFacts, than load: KeyLoad) -> Bool {
        facts.fill.map { $0 < load.position } ?? false
    }

    // MARK: Values

    /// Stores a loaded value, and returns it to every reader that may receive it.
    ///
    /// - Returns: the readers that asked after an invalidation that the value does not reflect.
    private mutating func keep(
        _ load: KeyLoad, _ hash: KeyHash, _ content: LoadResult.Content, _ facts: LoadedFacts,
        now: Instant
    ) -> [LoadReader] {
        let isNegative = if case .absent = content { true } else { false }
        let bytes: [UInt8] = if case .value(let bytes, _) = content { bytes } else { [] }
        let fill = fill(of: load, at: facts.fill, .loadEnd)
        return load.key.bytes.withUnsafeBytes { key in
            bytes.withUnsafeBytes { value in
                withTags(of: facts) { core in
                    var candidate = StoreCandidate(
                        hash: hash, namespace: NamespaceNumber(load.key.namespace), key: key,
                        value: value, fill: fill)
                    candidate.version = facts.version
                    candidate.isFenced = true
                    // The lifetime that readers get is cut like the stored one.
                    let life = core.life(
                        of: facts, load, candidate, isNegative ? .absent : .value, now: now)
                    let result = LoadResult(content, fill: fill, endedAt: now, life: life)
                    return facts.section(life.terms).withUnsafeBytes { section in
                        candidate.take(life, section)
                        return facts.representation.stored.withUnsafeBytes {
                            candidate.representation = $0
                            return core.keep(candidate, load, facts, result, now: now)
                        }
                    }
                }
            }
        }
    }

    private mutating func keep(
        _ candidate: StoreCandidate, _ load: KeyLoad, _ facts: LoadedFacts,
        _ loaded: LoadResult, now: Instant
    ) -> [LoadReader] {
        var (refusal, result) = (refusalOfToken(of: load, candidate), loaded)
        if refusal == nil, facts.mayStore, cluster.mayStore(loaded: candidate.key) {
            refusal = admit(candidate, now: now)
            if refusal == nil {
                // Also a value without a lifetime, which is hidden from the next reader.
                result = loaded.stored(as: identity(of: load.key, candidate.hash, now: now))
            }
        } else if refusal == nil, isCovered(candidate) {
            refusal = .invalidatedMeanwhile
        }
        loads.leases.end(candidate.hash, nonce: load.nonce)
        if refusal == .leaseVoid, let held = storedMeanwhile(candidate, load, now: now) {
            tell(held, to: load.readers)
            return []
        }
        // A value that is not stored for another reason may be overtaken as well: by a tag, which
        // only the answer names.
        if let known = refusal, known != .olderVersion, isCovered(candidate) {
            refusal = .invalidatedMeanwhile
        }
        let isUnkept =
            refusal == .tooLarge || refusal == .full || refusal == .outOfRange
            || refusal == nil && !facts.mayStore
        if isUnkept, !holdsLease(at: now) { drop(load, candidate.hash, now: now) }
        switch refusal {
        case nil, .tooLarge, .full, .outOfRange, .behind, .leaseVoid:
            // If a later load holds the lease, or held it, this value is as good as any for the
            // readers that asked before it.
            tell(result, to: load.readers)
            return []
        case .olderVersion:
            tell(outdated(candidate, now: now), to: load.readers)
            return []
        default:
            loads.overtaken()
            return tellEarlier(load, result, candidate)
        }
    }

    /// The entry of a key, and whether it may be served as fresh.
    private mutating func resident(
        _ candidate: StoreCandidate, now: Instant
    ) -> (identity: UInt64, isFresh: Bool)? {
        let entry = entries.memory.peek(
            candidate.hash, namespace: candidate.namespace, key: candidate.key, now: now)
        return entry.map {
            (entries.memory.identity(of: $0), isFresh: !$0.isSoft && !$0.isPastLifetime(at: now))
        }
    }

    /// The entry stored while a load was under way that has lost its lease; `nil` if there is none,
    /// or if a later load has the lease.
    private mutating func storedMeanwhile(
        _ candidate: StoreCandidate, _ load: KeyLoad, now: Instant
    ) -> LoadResult? {
        guard loads.newest(of: load.key) == nil else { return nil }
        // Queued writes are not entries: another load returns them.
        if writes.heldKeys.contains(load.key) {
            return LoadResult(
                .held(isConfirmed: false), fill: candidate.fill, endedAt: now)
        }
        guard let resident = resident(candidate, now: now), resident.isFresh,
            resident.identity != load.heldIdentity
        else { return nil }
        return LoadResult(
            .held(isConfirmed: false), identity: resident.identity, fill: candidate.fill,
            endedAt: now)
    }

    /// A version newer than the origin's answer is known to exist: either it is stored here, or an
    /// invalidation stated it.
    private mutating func outdated(_ candidate: StoreCandidate, now: Instant) -> LoadResult {
        guard let resident = resident(candidate, now: now), resident.isFresh else {
            return LoadResult(
                .failed(.outdated, retryAfter: nil), fill: candidate.fill, endedAt: now)
        }
        return LoadResult(
            .held(isConfirmed: false), identity: resident.identity, fill: candidate.fill,
            endedAt: now)
    }

    /// Returns an overtaken value to readers that asked before every invalidation that overtook it
    /// was applied. A floor shows only the last invalidation. An earlier one of the key prevented
    /// its readers from joining; an earlier one of a tag, between the load and the request, may
    /// have covered this value.
    ///
    /// - Returns: the other readers.
    private mutating func tellEarlier(
        _ load: KeyLoad, _ result: LoadResult, _ candidate: StoreCandidate
    ) -> [LoadReader] {
        var later: [LoadReader] = []
        for reader in load.readers {
            var asOfThen = candidate
            asOfThen.fill = log.stamp(of: reader.askedAt)
            let mayBeEarlier =
                waiting.taggedAt(reader.request) > load.position
                && options.guards.isOn(.hiddenTags)
            if isCovered(asOfThen) && !mayBeEarlier || !options.guards.isOn(.earlierAskers) {
                tell(result, to: [reader])
            } else {
                later.append(reader)
            }
        }
        return later
    }

    /// Whether an invalidation is above the candidate's fill. Its tags are the current ones.
    mutating func isCovered(_ candidate: StoreCandidate) -> Bool {
        tags.withUnsafeBufferPointer {
            var tagged = candidate
            tagged.tags = $0
            return !entries.memory.isUncovered(tagged)
        }
    }

    /// Why the load's token is no longer valid; `nil` if it is valid.
    private mutating func refusalOfToken(
        of load: KeyLoad, _ candidate: StoreCandidate
    ) -> StoreRefusal? {
        let token = FillToken(
            position: load.position, incarnation: options.incarnation, nonce: load.nonce)
        return log.refusal(of: token) ?? refusalByLease(token, candidate)
    }

    /// The position as of which a loaded value counts as read: the begin of the load.
    ///
    /// - Parameter told: the position stated by a peer.
    private func fill(
        of load: KeyLoad, at told: LogPosition? = nil, _ check: ProtocolGuard
    ) -> FillStamp {
        guard options.guards.isOn(check) else { return log.appliedStamp }
        return min(log.stamp(of: told ?? load.position), log.appliedStamp)
    }

    // MARK: Renewals

    /// The origin has confirmed the value that was held when it was asked.
    ///
    /// - Returns: the readers that need a full load after all, because the value is gone.
    private mutating func renew(
        _ load: KeyLoad, _ hash: KeyHash, _ facts: LoadedFacts, now: Instant
    ) -> [LoadReader] {
        var renewed = facts
        renewed.validator = load.validator
        let fill = fill(of: load, .loadRenewal)
        let refusal = load.key.bytes.withUnsafeBytes { key in
            var candidate = StoreCandidate(
                hash: hash, namespace: NamespaceNumber(load.key.namespace), key: key,
                value: UnsafeRawBufferPointer(start: nil, count: 0), fill: fill)
            candidate.isFenced = true
            let life = life(of: facts, load, candidate, .confirmed, now: now)
            return renewed.section(life.terms).withUnsafeBytes { section in
                candidate.take(life, section)
                var refusal = refusalOfToken(of: load, candidate)
                // A later load holds the lease now. The confirmed value is identified by its ETag
                // and compared with every floor, so it is valid whichever load has the lease.
                if refusal == .leaseVoid, loads.newest(of: load.key) != nil { refusal = nil }
                return facts.representation.stored.withUnsafeBytes {
                    candidate.representation = $0
                    return refusal ?? renewEntry(candidate, now: now)
                }
            }
        }
        loads.leases.end(hash, nonce: load.nonce)
        guard refusal == nil else { return load.readers }
        let identity = identity(of: load.key, hash, now: now)
        let result = LoadResult(
            .held(isConfirmed: true), identity: identity, fill: fill, endedAt: now)
        tell(result, to: load.readers)
        return []
    }

    /// The origin has confirmed the held value, and forbids storing it. A value stored since stays.
    /// One that is not in memory may be on disk alone, and is removed there.
    private mutating func drop(_ load: KeyLoad, _ hash: KeyHash, now: Instant) {
        loads.leases.end(hash, nonce: load.nonce)
        let held = identity(of: load.key, hash, now: now)
        guard held == nil || held == load.heldIdentity else { return }
        let namespace = NamespaceNumber(load.key.namespace)
        load.key.bytes.withUnsafeBytes { key in
            cluster.handOver.arrivals.noteStored(hash, key)
            entries.memory.entries.drop(hash, namespace: namespace, key: key)
            entries.removeFromDisk(
                EntryStore.LocatedKey(hash, namespace, key), namespaces.names, now: now)
        }
    }

    // MARK: Lifetimes

    /// The kind of an origin's answer.
    private enum LoadedKind { case value, absent, confirmed }

    /// A value that may come from a lagging replica lives no longer than replicas lag, and has no
    /// window after that.
    private mutating func life(
        of facts: LoadedFacts, _ load: KeyLoad, _ candidate: StoreCandidate, _ kind: LoadedKind,
        now: Instant
    ) -> LoadLife {
        let policy = namespaces.policy(of: candidate.namespace)
        let life = life(of: facts, by: policy, isNegative: kind == .absent, now: now)
        let end = doubtfulEnd(
            of: candidate, isRenewal: kind == .confirmed, policy,
            loadedFor: now.elapsed(since: load.begunAt) + facts.age, now: now)
        return end.map { life.cut(to: $0) } ?? life
    }

    private mutating func life(
        of facts: LoadedFacts, by policy: NamespacePolicy, isNegative: Bool, now: Instant
    ) -> LoadLife {
        let origin = policy.origin
        var terms = LoadTerms(
            staleWhileRevalidate: facts.staleWhileRevalidate ?? origin?.staleWhileRevalidate
                ?? .zero,
            staleIfError: facts.staleIfError ?? origin?.staleIfError ?? .zero,
            isNegative: isNegative)
        terms = terms.limited(to: ShardLimits.staleWindowMax)
        let own = isNegative ? origin?.negativeTimeToLive : nil
        let lifetime = facts.lifetime ?? own
        let milliseconds = lifetime.map { UInt64(clamping: $0.wholeMilliseconds) }
        let freshUntil: Instant? =
            if let lifetime, facts.fill != nil || milliseconds == 0 {
                // The remaining lifetime from a peer already has jitter and bounds applied there.
                now.advanced(by: lifetime)
            } else {
                expiry(milliseconds ?? SetOperation.ttlDefault, policy, now: now)
            }
        // If replicas lag, an entry that ends within one lag of its store was cut to that: see
        // touchedEnd.
        return LoadLife(
            freshUntil: freshUntil,
            end: freshUntil.map { $0.advanced(by: terms.longestWindow) }, terms: terms,
            age: policy.replicaLag > .zero ? .zero : facts.age)
    }

    /// Calls `body` with the tags of a load as the current tags, as those of a message are.
    mutating func withTags<Result>(
        of facts: LoadedFacts, _ body: (inout ShardCore) -> Result
    ) -> Result {
        let joined = facts.tags.flatMap { $0.bytes }
        return joined.withUnsafeBytes { bytes in
            tags.removeAll(keepingCapacity: true)
            var offset = 0
            for tag in facts.tags {
                tags.append(
                    UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + tag.bytes.count]))
                offset += tag.bytes.count
            }
            defer { tags.removeAll(keepingCapacity: true) }
            return body(&self)
        }
    }
}

extension StoreCandidate {
    /// Sets the lifetime of a load.
    ///
    /// - Parameter section: the load's terms and ETag, as an entry has them.
    fileprivate mutating func take(_ life: LoadLife, _ section: UnsafeRawBufferPointer) {
        validator = section
        expiresAt = life.end
        age = life.age
    }
}
