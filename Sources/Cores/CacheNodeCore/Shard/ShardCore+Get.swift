import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// Looks up every key of a GET.
    mutating func answerGet(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        // A value that may be too old for its reader is judged there, also without an origin.
        if namespaces.mayReadThrough(plan.namespace)
            || plan.message.fields.maxAgeMilliseconds != nil
        {
            return answerReadThrough(plan, now: now, into: &replies, effects: &effects)
        }
        let message = beginResults(plan, now: now, into: &replies)
        let claimsFresh = lookUp(
            from: GetFront(plan), plan, message.start, now: now, into: &replies)
        finishResults(message, plan, claimsFresh: claimsFresh, now: now, in: &replies)
    }

    /// How far a GET has been answered.
    struct GetFront {
        var reader: ByteReader
        var index = 0
        var claimsFresh = false
        /// The entry of the next key, if it was looked up already.
        var found: Lookup.Found = .notYet

        @inline(__always)
        init(_ plan: Plan) { reader = ByteReader(plan.message.body) }

        @inline(__always)
        init(_ reader: ByteReader, _ index: Int, _ claimsFresh: Bool, _ found: Lookup.Found) {
            (self.reader, self.index, self.claimsFresh, self.found) =
                (reader, index, claimsFresh, found)
        }
    }

    /// Writes a result for every remaining key of a GET.
    ///
    /// - Returns: whether any of the results claims to be fresh.
    @inline(__always)
    mutating func lookUp(
        from front: GetFront, _ plan: Plan, _ start: Int, now: Instant,
        into replies: inout ReplyBuffer
    ) -> Bool {
        let holdsLease = holdsLease(at: now)
        var (reader, claimsFresh, found) = (front.reader, front.claimsFresh, front.found)
        statistics.gets += UInt64(plan.message.count)
        for index in front.index..<plan.message.count {
            var lookup = nextLookup(&reader, index, of: plan, start, holdsLease: holdsLease)
            lookup.found = found
            found = .notYet
            if answerLookup(lookup, now: now, into: &replies.writer) { claimsFresh = true }
        }
        return claimsFresh
    }

    @inline(__always)
    func nextLookup(
        _ reader: inout ByteReader, _ index: Int, of plan: Plan, _ start: Int, holdsLease: Bool
    ) -> Lookup {
        Lookup(
            operation: Self.planned { () throws(WireRefusal) in
                try GetOperation(decoding: &reader)
            },
            hash: hashes[plan.firstHash + index], namespace: plan.namespace, index: index,
            messageStart: start, asker: LoadLeases.Holder(plan.frame.peer.rawValue),
            isAgain: plan.message.fields.isAgain, holdsLease: holdsLease,
            isFreshDemanded: plan.message.fields.isFresh)
    }

    /// One key of a GET, with all inputs of its answer.
    struct Lookup {
        var operation: GetOperation
        var hash: KeyHash
        var namespace: NamespaceNumber
        /// The index of the operation in the message.
        var index: Int
        var messageStart: Int
        var asker: LoadLeases.Holder
        /// Whether it asked before and was not answered.
        var isAgain: Bool
        var holdsLease: Bool
        /// Only a fresh entry is accepted.
        var isFreshDemanded: Bool
        /// The held entry replaces a load, without a lease.
        var isTolerated = false
        var found: Found = .notYet

        /// Whether the tier was already asked: it counts lookups.
        enum Found {
            case notYet
            case lookedUp(EntryView?)
        }
    }

    /// Decodes data that was already decoded while planning, so that it cannot fail.
    @inline(__always)
    static func planned<Value>(_ body: () throws(WireRefusal) -> Value) -> Value {
        do throws(WireRefusal) {
            return try body()
        } catch {
            preconditionFailure("a planned message was decoded before: \(error.sentence)")
        }
    }

    /// Writes one result.
    ///
    /// - Returns: whether it claims to be fresh.
    private mutating func answerLookup(
        _ lookup: Lookup, now: Instant, into writer: inout ByteWriter
    ) -> Bool {
        let operation = lookup.operation
        guard writer.count - lookup.messageStart <= ShardLimits.answerRoomBytes else {
            // Whatever the result: the other operations of the message need space for a head each.
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        guard operation.isKeyValid else {
            refuse(.outOfRange, "a key has 1 to 4096 bytes", into: &writer)
            return false
        }
        if let part = operation.part, !part.isValid {
            refuse(.outOfRange, "a part of a value has 1 to 524288 bytes", into: &writer)
            return false
        }
        if let disk, disk.records.areNeeded, loadsAtHand?.results[lookup.index] == nil,
            !bringBack(operation.key, lookup.hash, lookup.namespace, on: disk, now: now)
        {
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        if operation.options.contains(.prefetch) {
            // It returns no value, so it claims nothing that depends on the lease.
            prefetch(lookup, now: now, into: &writer)
            return false
        }
        // All parts of a value have the same age, whatever its reader allows when it reads the last
        // one.
        if readDemand != nil,
            operation.part == nil || namespaces.policy(of: lookup.namespace).origin != nil
        {
            return readThrough(lookup, now: now, into: &writer)
        }
        guard
            let entry = tier.lookup(
                lookup.hash, namespace: lookup.namespace, key: operation.key, now: now)
        else {
            answerMiss(lookup, flags: [], now: now, into: &writer)
            return false
        }
        if lookup.holdsLease && !(entry.isSoft && options.guards.isOn(.softMark)) {
            return write(
                entry, Verdict(status: .hit, flags: []), lookup, now: now, into: &writer)
        }
        answerStale(entry, lookup, now: now, into: &writer)
        return false
    }

    /// An entry that is not fresh: the policy of the namespace and the asker decide.
    private mutating func answerStale(
        _ entry: EntryView, _ lookup: Lookup, now: Instant, into writer: inout ByteWriter
    ) {
        let policy = namespaces.policy(of: lookup.namespace)
        let isAllowed =
            lookup.operation.options.contains(.allowStale) && !lookup.isFreshDemanded
        if let softAge = entry.softAge(at: now) {
            guard isAllowed, softAge < policy.staleWindow else {
                return answerMiss(lookup, flags: .soft, now: now, into: &writer)
            }
        }
        if !lookup.holdsLease && !isAllowed
            && (policy.suspect == .refuse || lookup.isFreshDemanded)
        {
            statistics.behind += 1
            return OperationResult.append(
                .behind, flags: .suspect, detail: BehindReason.lease.rawValue, to: &writer)
        }
        if !lookup.holdsLease && !isAllowed && policy.suspect == .revalidate {
            return answerMiss(lookup, flags: .suspect, now: now, into: &writer)
        }
        var flags: ResultFlags = lookup.holdsLease ? [] : .suspect
        if !lookup.holdsLease && !isAllowed && policy.suspect == .serveThenRevalidate {
            guard toleratesUnvouched(lookup, now: now) else {
                return answerMiss(
                    lookup, flags: .suspect, isRevalidation: true, now: now, into: &writer)
            }
            flags.insert(.tolerated)
        }
        if entry.isSoft { flags.insert(.soft) }
        write(
            entry, Verdict(status: .stale, flags: flags), lookup, now: now, into: &writer)
    }

    /// No entry that may be served: a token for an asker that requests one, with the validator for
    /// the origin, or the waiting time if another asker already loads it.
    ///
    /// - Parameter isRevalidation: the entry exists, and is loaded at most once a second.
    mutating func answerMiss(
        _ lookup: Lookup, flags: ResultFlags, isRevalidation: Bool = false, now: Instant,
        into writer: inout ByteWriter
    ) {
        statistics.misses += 1
        let start = writer.count
        let wantsToken = lookup.operation.options.contains(.token)
        let refusal = wantsToken && isDraining ? StoreRefusal.draining.rawValue : 0
        OperationResult.append(.miss, flags: flags, detail: refusal, to: &writer)
        guard wantsToken, refusal == 0 else { return }
        let duration = namespaces.policy(of: lookup.namespace).loadLease
        // A lease that is granted again must not be taken back with this answer.
        let isTakenBack =
            readDemand != nil && loads.leases.timeLeft(of: lookup.hash, now: now) <= .zero
        let request = LoadCoordinator.TokenRequest(
            asker: lookup.asker, isAgain: lookup.isAgain, isRevalidation: isRevalidation,
            duration: duration)
        switch loads.grant(lookup.hash, for: request, now: now) {
        case .granted(let nonce):
            statistics.tokens += 1
            if isTakenBack { grantsAtHand.append((lookup.hash, nonce)) }
            let token = FillToken(
                position: applied.position, incarnation: options.incarnation, nonce: nonce)
            OperationResult.appendField(
                token: token, validMilliseconds: UInt32(clamping: duration.wholeMilliseconds),
                to: &writer)
            appendRenewable(lookup, now: now, into: &writer)
        case .wait(let duration):
            statistics.waits += 1
            OperationResult.appendField(
                retryAfterMilliseconds: UInt32(clamping: max(1, duration.wholeMilliseconds)),
                to: &writer)
        }
        OperationResult.finishFields(from: start, in: &writer)
    }
    /// The ETag and version of an entry that is not served as fresh.
    private mutating func appendRenewable(
        _ lookup: Lookup, now: Instant, into writer: inout ByteWriter
    ) {
        guard
            let entry = tier.renewable(
                lookup.hash, namespace: lookup.namespace, key: lookup.operation.key, now: now)
        else { return }
        if entry.version != .none {
            OperationResult.appendField(version: entry.version, to: &writer)
        }
        if entry.validator.count > 0 {
            OperationResult.appendField(OperationResult.FieldID.etag, entry.validator, to: &writer)
        }
    }
}
