import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// Looks up every key of a GET.
    mutating func answerGet(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        let message = beginResults(plan, now: now, into: &replies)
        var context = RequestContext(
            plan, evidence, from: message.start, holdsLease: holdsLease(at: now), now: now)
        // A value that may be too old for its reader is judged there, also without an origin.
        if namespaces.mayReadThrough(plan.namespace)
            || plan.message.fields.reading.maxAgeMilliseconds != nil
        {
            return answerReadThrough(message, plan, &context, into: &replies, effects: &effects)
        }
        let claimsFresh = lookUp(from: GetFront(plan), plan, &context, into: &replies)
        finishGet(message, plan, context, claimsFresh: claimsFresh, in: &replies)
    }

    /// Ends the results of a GET, and counts what they are.
    @inline(__always)
    mutating func finishGet(
        _ message: MessageWriter, _ plan: Plan, _ context: borrowing RequestContext,
        claimsFresh: Bool, in replies: inout ReplyBuffer
    ) {
        statistics.reads.add(context.counters, isPlain: context.through == nil)
        finishResults(message, plan, claimsFresh: claimsFresh, now: context.now, in: &replies)
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
        from front: GetFront, _ plan: Plan, _ context: inout RequestContext,
        into replies: inout ReplyBuffer
    ) -> Bool {
        var (reader, claimsFresh, found) = (front.reader, front.claimsFresh, front.found)
        for index in front.index..<plan.message.count {
            var lookup = nextLookup(&reader, index, of: plan)
            lookup.found = found
            found = .notYet
            if answerLookup(lookup, &context, into: &replies.writer) { claimsFresh = true }
        }
        return claimsFresh
    }

    @inline(__always)
    func nextLookup(_ reader: inout ByteReader, _ index: Int, of plan: Plan) -> Lookup {
        Lookup(
            operation: Self.planned { () throws(WireRefusal) in
                try GetOperation(decoding: &reader)
            },
            hash: hashes[plan.firstHash + index], index: index)
    }

    /// One key of a GET.
    struct Lookup {
        var operation: GetOperation
        var hash: KeyHash
        /// The index of the operation in the message.
        var index: Int
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
        _ lookup: Lookup, _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        let operation = lookup.operation
        guard writer.count - context.start <= ShardLimits.answerRoomBytes else {
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
        if entries.areReadsNeeded, context.loads?.results[lookup.index] == nil,
            !entries.bringBack(
                EntryStore.LocatedKey(lookup.hash, context.namespace, operation.key),
                &namespaces, now: context.now)
        {
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        if operation.options.contains(.prefetch) {
            // It returns no value, so it claims nothing that depends on the lease.
            prefetch(lookup, &context, into: &writer)
            return false
        }
        // All parts of a value have the same age, whatever its reader allows when it reads the last
        // one.
        if context.through != nil,
            operation.part == nil || namespaces.policy(of: context.namespace).origin != nil
        {
            return readThrough(lookup, &context, into: &writer)
        }
        guard
            let entry = entries.memory.lookup(
                lookup.hash, namespace: context.namespace, key: operation.key, now: context.now)
        else {
            answerMiss(lookup, flags: [], &context, into: &writer)
            return false
        }
        if context.holdsLease && !(entry.isSoft && options.guards.isOn(.softMark)) {
            return write(
                entry, Verdict(status: .hit, flags: []), lookup, &context, into: &writer)
        }
        answerStale(entry, lookup, &context, into: &writer)
        return false
    }

    /// An entry that is not fresh: the policy of the namespace and the asker decide.
    private mutating func answerStale(
        _ entry: EntryView, _ lookup: Lookup, _ context: inout RequestContext,
        into writer: inout ByteWriter
    ) {
        let policy = namespaces.policy(of: context.namespace)
        let isAllowed =
            lookup.operation.options.contains(.allowStale) && !context.isFreshDemanded
        if let softAge = entry.softAge(at: context.now) {
            guard isAllowed, softAge < policy.staleWindow else {
                return answerMiss(lookup, flags: .soft, &context, into: &writer)
            }
        }
        if !context.holdsLease && !isAllowed
            && (policy.suspect == .refuse || context.isFreshDemanded)
        {
            context.counters.behind += 1
            return OperationResult.append(
                .behind, flags: .suspect, detail: BehindReason.lease.rawValue, to: &writer)
        }
        if !context.holdsLease && !isAllowed && policy.suspect == .revalidate {
            return answerMiss(lookup, flags: .suspect, &context, into: &writer)
        }
        var flags: ResultFlags = context.holdsLease ? [] : .suspect
        if !context.holdsLease && !isAllowed && policy.suspect == .serveThenRevalidate {
            guard toleratesUnvouched(lookup, context) else {
                return answerMiss(
                    lookup, flags: .suspect, isRevalidation: true, &context, into: &writer)
            }
            flags.insert(.tolerated)
        }
        if entry.isSoft { flags.insert(.soft) }
        write(
            entry, Verdict(status: .stale, flags: flags), lookup, &context, into: &writer)
    }

    /// No entry that may be served: a token for an asker that requests one, with the validator for
    /// the origin, or the waiting time if another asker already loads it.
    ///
    /// - Parameter isRevalidation: the entry exists, and is loaded at most once a second.
    mutating func answerMiss(
        _ lookup: Lookup, flags: ResultFlags, isRevalidation: Bool = false,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) {
        context.counters.misses += 1
        let start = writer.count
        let wantsToken = lookup.operation.options.contains(.token)
        let refusal = wantsToken ? storesNothing : nil
        OperationResult.append(.miss, flags: flags, detail: refusal?.rawValue ?? 0, to: &writer)
        guard wantsToken, refusal == nil else { return }
        let duration = namespaces.policy(of: context.namespace).loadLease
        // A lease that is granted again must not be taken back with this answer.
        let isTakenBack =
            context.through != nil
            && loads.leases.timeLeft(of: lookup.hash, now: context.now) <= .zero
        let request = LoadCoordinator.TokenRequest(
            asker: context.asker, isAgain: context.isAgain, isRevalidation: isRevalidation,
            duration: duration)
        switch loads.grant(lookup.hash, for: request, now: context.now) {
        case .granted(let nonce):
            context.counters.tokens += 1
            if isTakenBack { context.through?.grants.append((lookup.hash, nonce)) }
            let token = FillToken(
                position: log.applied.position, incarnation: options.incarnation, nonce: nonce)
            OperationResult.appendField(
                token: token, validMilliseconds: UInt32(clamping: duration.wholeMilliseconds),
                to: &writer)
            appendRenewable(lookup, context, into: &writer)
        case .wait(let duration):
            context.counters.tokenWaits += 1
            OperationResult.appendField(
                retryAfterMilliseconds: UInt32(clamping: max(1, duration.wholeMilliseconds)),
                to: &writer)
        }
        OperationResult.finishFields(from: start, in: &writer)
    }

    /// Why no value is stored now, so that none needs to be loaded for it; `nil` if one may be.
    private var storesNothing: StoreRefusal? {
        if isDraining { return .draining }
        return namespaces.isConfigured ? nil : .unconfigured
    }

    /// The ETag and version of an entry that is not served as fresh.
    private mutating func appendRenewable(
        _ lookup: Lookup, _ context: borrowing RequestContext, into writer: inout ByteWriter
    ) {
        guard
            let entry = entries.memory.renewable(
                lookup.hash, namespace: context.namespace, key: lookup.operation.key,
                now: context.now)
        else { return }
        if entry.version != .none {
            OperationResult.appendField(version: entry.version, to: &writer)
        }
        if entry.validator.count > 0 {
            OperationResult.appendField(OperationResult.FieldID.etag, entry.validator, to: &writer)
        }
    }
}
