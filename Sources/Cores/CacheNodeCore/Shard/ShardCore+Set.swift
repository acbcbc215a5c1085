import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// Stores every entry of a SET, or has the publisher order it first.
    ///
    /// In a replicated topology a store without a token is preceded by an invalidation of its key:
    /// the log orders racing stores, and the other replicas stop serving their old entries. Until
    /// the publisher has reported the topology's kind, the asker is told to retry.
    mutating func answerSet(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        guard !isDraining || isUnderWay(plan) else {
            return refuseAll(plan, .draining, now: now, into: &replies)
        }
        guard cluster.mayStore else { return answerBusy(plan, now: now, into: &replies) }
        var plan = plan
        if cluster.isReplicated && plan.orderedAt == nil && !isOrdered(plan) {
            plan.refused = blindRefusals(of: plan, now: now)
            guard isOrdered(plan) else {
                return publishKeys(of: plan, now: now, into: &replies, effects: &effects)
            }
        }
        let message = beginResults(plan, now: now, into: &replies)
        var reader = ByteReader(plan.message.body)
        statistics.sets += UInt64(plan.message.count)
        for index in 0..<plan.message.count {
            let operation = nextStore(&reader)
            if plan.refused.contains(index) {
                _ = operation.upload.flatMap { uploads.take($0, of: plan.frame.peer) }
                refuse(.blind, into: &replies.writer)
                continue
            }
            if entries.areReadsNeeded, dependsOnWhatIsThere(operation),
                !entries.bringBack(
                    EntryStore.LocatedKey(
                        hashes[plan.firstHash + index], plan.namespace, operation.key),
                    &namespaces, now: now)
            {
                OperationResult.append(.deferred, to: &replies.writer)
                continue
            }
            store(operation, at: plan.firstHash + index, of: plan, now: now, &replies.writer)
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }

    /// The next store of a planned SET; its tags are the current ones.
    @inline(__always)
    mutating func nextStore(_ reader: inout ByteReader) -> SetOperation {
        tags.removeAll(keepingCapacity: true)
        return Self.planned { () throws(WireRefusal) in
            try SetOperation(decoding: &reader, tags: &tags)
        }
    }

    /// Whether every store of the message has a token, or is refused: then they are ordered
    /// already.
    mutating func isOrdered(_ plan: Plan) -> Bool {
        var reader = ByteReader(plan.message.body)
        for index in 0..<plan.message.count {
            let operation = nextStore(&reader)
            if operation.token == nil, !plan.refused.contains(index) { return false }
        }
        return true
    }

    /// One store of a SET, with all inputs of its admission.
    private struct Store {
        var operation: SetOperation
        var value: UnsafeRawBufferPointer
        var token: FillToken?
        var hash: KeyHash
        var namespace: NamespaceNumber
        /// In stored form; empty for none.
        var representation = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private mutating func store(
        _ operation: SetOperation, at hashIndex: Int, of plan: Plan, now: Instant,
        _ writer: inout ByteWriter
    ) {
        // After a refused load, other loaders must not wait for the rest of its lease.
        defer {
            if let token = operation.token, token.incarnation == options.incarnation {
                loads.leases.end(hashes[hashIndex], nonce: token.nonce)
            }
        }
        // The upload is consumed also if the store is refused: the shard keeps few.
        let uploaded = operation.upload.flatMap { uploads.take($0, of: plan.frame.peer) }
        if let problem = operation.problem {
            return refuse(.outOfRange, problem, into: &writer)
        }
        if let token = operation.token, isOfAnotherRun(token) {
            return refuse(.tokenTooOld, into: &writer)
        }
        var store = Store(
            operation: operation, value: operation.value, token: operation.token,
            hash: hashes[hashIndex], namespace: plan.namespace)
        if store.token == nil, let orderedAt = plan.orderedAt {
            store.token = FillToken(position: orderedAt, incarnation: .none, nonce: 0)
        }
        if let token = store.token, let refusal = log.refusal(of: token) {
            return refuse(refusal, into: &writer)
        }
        guard operation.upload != nil else { return admit(store, now: now, &writer) }
        guard let value = uploaded else { return refuse(.uploadIncomplete, into: &writer) }
        value.withUnsafeBytes { bytes in
            store.value = bytes
            admit(store, now: now, &writer)
        }
    }

    /// Whether a token was issued by another run than this one, of this node or another.
    ///
    /// Its position cannot be checked here. A log that lost its end uses the numbers again, and the
    /// two runs may have followed different ones; a run itself forgets before it follows another.
    private func isOfAnotherRun(_ token: FillToken) -> Bool {
        token.incarnation != .none && token.incarnation != options.incarnation
            && options.guards.isOn(.tokenOfAnotherRun)
    }

    /// Why a token's load lease does not permit the store. If an invalidation of the key voided the
    /// lease, that is the reason.
    func refusalByLease(_ token: FillToken, _ candidate: StoreCandidate) -> StoreRefusal? {
        guard isVoid(token, candidate.hash) else { return nil }
        return entries.memory.isUncovered(candidate) ? .leaseVoid : .invalidatedMeanwhile
    }

    /// Whether a token of this run names a load lease that is no longer the key's.
    private func isVoid(_ token: FillToken, _ hash: KeyHash) -> Bool {
        token.incarnation == options.incarnation && !loads.leases.holds(hash, nonce: token.nonce)
            && options.guards.isOn(.loadLease)
    }

    private mutating func admit(
        _ store: Store, now: Instant, _ writer: inout ByteWriter
    ) {
        guard !store.operation.described.isEmpty else {
            return judge(store, now: now, &writer)
        }
        store.operation.representation.stored.withUnsafeBytes { bytes in
            var store = store
            store.representation = bytes
            judge(store, now: now, &writer)
        }
    }

    private mutating func judge(
        _ store: Store, now: Instant, _ writer: inout ByteWriter
    ) {
        let (operation, token) = (store.operation, store.token)
        let policy = namespaces.policy(of: store.namespace)
        guard store.value.count <= policy.valueBytesMax else {
            return refuse(.tooLarge, "the value is larger than its namespace allows", into: &writer)
        }
        let spoken =
            options.guards.isOn(.fillPosition) ? token.map { log.stamp(of: $0.position) } : nil
        let fill = min(spoken ?? log.appliedStamp, log.appliedStamp)
        var candidate = StoreCandidate(
            hash: store.hash, namespace: store.namespace, key: operation.key, value: store.value,
            fill: fill)
        candidate.version = operation.version
        candidate.validator = operation.etag
        candidate.representation = store.representation
        candidate.expiresAt = expiry(operation.timeToLive, policy, now: now)
        candidate.isFenced = token != nil
        candidate.isUnfenced = Self.isUnfenced(operation)
        candidate.replacesOnlyOlderFill =
            operation.token.map { $0.incarnation != options.incarnation } ?? false
        if let token, token.incarnation != .none {
            let age = loads.leases.age(store.hash, nonce: token.nonce, now: now)
            shorten(
                &candidate, isRenewal: operation.options.contains(.renew), policy,
                loadedFor: age, now: now)
        }
        if let token, let refusal = refusalByLease(token, candidate) {
            return refuse(refusal, into: &writer)
        }
        if operation.options.contains(.renew) { return renew(candidate, now: now, &writer) }
        if token == nil && operation.version == .none,
            let refusal = blindRefusal(candidate, policy, now: now)
        {
            return refuse(refusal, into: &writer)
        }
        finishStore(candidate, token, now: now, &writer)
    }

    /// Outside of the guarantee: nothing proves that the value was read after the invalidations
    /// that cover it. A version proves it only against minimum versions, and those are lost over
    /// time and by a restart.
    private static func isUnfenced(_ operation: SetOperation) -> Bool {
        operation.token.map { $0.incarnation == .none } ?? true
    }

    private mutating func finishStore(
        _ candidate: StoreCandidate, _ token: FillToken?, now: Instant,
        _ writer: inout ByteWriter
    ) {
        if let refusal = admit(candidate, now: now) {
            // A client of an older release does not know the reason, and shows these words.
            guard refusal == .full else { return refuse(refusal, into: &writer) }
            return refuse(refusal, Array(refusal.sentence.utf8), into: &writer)
        }
        let start = writer.count
        OperationResult.append(
            .stored, flags: candidate.isUnfenced ? .unfenced : [], to: &writer)
        guard let token, token.incarnation == .none else { return }
        OperationResult.appendField(token: token, validMilliseconds: 0, to: &writer)
        OperationResult.finishFields(from: start, in: &writer)
    }

    /// Stores a candidate with the current tags, in memory and on disk; its load lease is over.
    ///
    /// - Returns: why nothing was stored.
    mutating func admit(_ candidate: StoreCandidate, now: Instant) -> StoreRefusal? {
        let refusal = entries.store(candidate, tags: tags, namespaces.names, now: now)
        guard refusal == nil else { return refusal }
        loads.keyStored(candidate.hash)
        cluster.handOver.arrivals.noteStored(candidate.hash, candidate.key)
        statistics.stored += 1
        return nil
    }

    private mutating func renew(
        _ candidate: StoreCandidate, now: Instant, _ writer: inout ByteWriter
    ) {
        guard candidate.isFenced, !candidate.replacesOnlyOlderFill else {
            return refuse(.leaseVoid, into: &writer)
        }
        if let refusal = renewEntry(candidate, now: now) {
            return refuse(refusal, into: &writer)
        }
        loads.leases.void(candidate.hash)
        OperationResult.append(.stored, to: &writer)
    }

    /// Renews the entry that the candidate names, in memory and on disk.
    ///
    /// - Returns: why it was not renewed.
    mutating func renewEntry(_ candidate: StoreCandidate, now: Instant) -> StoreRefusal? {
        switch entries.renew(candidate, namespaces.names, now: now) {
        case .failure(let refusal): return refusal
        case .success(let isRenewed):
            if isRenewed { statistics.renewed += 1 }
            cluster.handOver.arrivals.noteStored(candidate.hash, candidate.key)
            loads.keyConfirmed(candidate.hash)
            return nil
        }
    }

    /// The operations of a SET that the namespace refuses as blind. Checked by the fields of each
    /// operation, and before its key is published: publishing would remove the existing entry, and
    /// with the position of its own record no store would be blind.
    private mutating func blindRefusals(of plan: Plan, now: Instant) -> Set<Int> {
        let policy = namespaces.policy(of: plan.namespace)
        guard policy.blindSet != .allow else { return [] }
        var refused: Set<Int> = []
        var reader = ByteReader(plan.message.body)
        for index in 0..<plan.message.count {
            let operation = nextStore(&reader)
            guard operation.token == nil, operation.version == .none else { continue }
            let candidate = StoreCandidate(
                hash: hashes[plan.firstHash + index], namespace: plan.namespace,
                key: operation.key, value: operation.value, fill: log.appliedStamp)
            if blindRefusal(candidate, policy, now: now) != nil { refused.insert(index) }
        }
        return refused
    }

    /// The namespace's refusal of a store without token and version.
    private mutating func blindRefusal(
        _ candidate: StoreCandidate, _ policy: NamespacePolicy, now: Instant
    ) -> StoreRefusal? {
        switch policy.blindSet {
        case .allow: nil
        case .reject: .blind
        case .holdOff: wasCovered(candidate, within: policy.holdOff, now: now) ? .blind : nil
        }
    }

    /// Whether an invalidation that covers the candidate was, or may have been, applied within that
    /// duration before now.
    private func wasCovered(
        _ candidate: StoreCandidate, within duration: Duration, now: Instant
    ) -> Bool {
        // A store with this fill position is rejected if an invalidation since then covers it.
        var asOfThen = candidate
        asOfThen.fill = log.stamp(at: now, before: duration)
        return tags.withUnsafeBufferPointer {
            asOfThen.tags = $0
            return !entries.memory.isUncovered(asOfThen)
        }
    }

    /// Shortens the lifetime of a value loaded by a client if it may be outdated.
    private func shorten(
        _ candidate: inout StoreCandidate, isRenewal: Bool, _ policy: NamespacePolicy,
        loadedFor age: Duration, now: Instant
    ) {
        let end = doubtfulEnd(
            of: candidate, isRenewal: isRenewal, policy, loadedFor: age, now: now)
        guard let end else { return }
        candidate.expiresAt = min(candidate.expiresAt ?? end, end)
    }

    /// A value read soon after an invalidation may come from a replica that had not received the
    /// change: it lives no longer than replicas lag. The publisher repeats the invalidation.
    ///
    /// - Parameter age: duration of the load. The origin may have been read right at its begin.
    /// - Returns: when such a value has to end; `nil` if it is not doubtful.
    func doubtfulEnd(
        of candidate: StoreCandidate, isRenewal: Bool, _ policy: NamespacePolicy,
        loadedFor age: Duration, now: Instant
    ) -> Instant? {
        guard policy.replicaLag > .zero, options.guards.isOn(.shortLives) else { return nil }
        let doubted = policy.replicaLag + age
        // The tags of a renewed entry are not available here: any record may have covered it.
        let isCovered =
            isRenewal
            ? log.history.position(at: now, before: doubted) < log.applied.position
            : wasCovered(candidate, within: doubted, now: now)
        // A removal by key in an earlier run of this node has left no floor.
        let isDoubtful =
            isCovered || log.history.reachesIntoEarlierLife(doubted, before: now)
        return isDoubtful ? now.advanced(by: policy.replicaLag) : nil
    }
}
