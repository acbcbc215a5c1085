import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// A get in a namespace whose values the node loads itself.
///
///     held entry ─▶ ReadPlan ─▶ answered, or answered and refreshed, or load requested
///                                                                           │
///     all operations done: any loads requested? the message waits ◀─────────┘
///     its loads have ended: it is answered again, from their results
extension ShardCore {
    /// Answers a GET, or keeps it until the origin was asked: then the reply written so far is
    /// dropped, and nothing that it says is counted.
    @inline(never)
    mutating func answerReadThrough(
        _ message: MessageWriter, _ plan: Plan, _ context: inout RequestContext,
        into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        let front = answerPlainHits(of: plan, &context, into: &replies)
        guard front.index < plan.message.count else {
            return finishGet(
                message, plan, context, claimsFresh: front.claimsFresh, in: &replies)
        }
        var through = ReadThrough(demand(of: plan, holdsLease: context.holdsLease))
        through.earlyRefresh = namespaces.policy(of: plan.namespace).origin.map {
            EarlyRefresh(
                share: $0.refreshShare, loadDuration: loads.duration(in: plan.namespace))
        }
        context.through = through
        let claimsFresh = lookUp(from: front, plan, &context, into: &replies)
        beginRefreshes(of: plan, context, effects: &effects)
        guard let wishes = context.through?.wishes, !wishes.isEmpty else {
            return finishGet(message, plan, context, claimsFresh: claimsFresh, in: &replies)
        }
        // The asker does not learn of them: otherwise the message, answered again, would wait for
        // its own leases.
        loads.takeBack(context.through?.grants ?? [])
        if context.loads == nil {
            statistics.reads.misses += UInt64(wishes.count { $0.urgency == .awaited })
        }
        replies.writer.truncate(to: message.start)
        waitForLoads(wishes, of: plan, context, into: &replies, effects: &effects)
    }

    /// Answers the front of a message as long as entries are held, fresh and not near their end.
    /// This covers nearly all of most messages, and needs no check of the demand.
    @inline(__always)
    private mutating func answerPlainHits(
        of plan: Plan, _ context: inout RequestContext, into replies: inout ReplyBuffer
    ) -> GetFront {
        let through = namespaces.through(plan.namespace)
        guard through.servesHeldFirst, writes.heldKeys.isEmpty, context.loads == nil,
            context.holdsLease,
            !entries.areReadsNeeded,
            plan.message.fields.reading.isPlain
        else { return GetFront(plan) }
        var (reader, claimsFresh) = (ByteReader(plan.message.body), false)
        for index in 0..<plan.message.count {
            let before = reader
            let lookup = nextLookup(&reader, index, of: plan)
            let operation = lookup.operation
            guard operation.isKeyValid, operation.part == nil,
                !operation.options.contains(.prefetch)
            else {
                return GetFront(before, index, claimsFresh, .notYet)
            }
            let entry = entries.memory.lookup(
                lookup.hash, namespace: context.namespace, key: operation.key, now: context.now)
            guard let entry, let left = plainLifetime(of: entry, through, now: context.now) else {
                return GetFront(before, index, claimsFresh, .lookedUp(entry))
            }
            let verdict = Verdict(
                status: .hit, flags: [], timeToLive: left == .max ? .max : left / 1_000_000)
            if write(entry, verdict, lookup, &context, into: &replies.writer) {
                claimsFresh = true
            }
        }
        return GetFront(reader, plan.message.count, claimsFresh, .notYet)
    }

    /// Remaining lifetime of an entry in nanoseconds; `nil` if it is not fresh, or so near its end
    /// that it may have to be refreshed.
    @inline(__always)
    private func plainLifetime(
        of entry: EntryView, _ through: NamespaceTable.Through, now: Instant
    ) -> UInt64? {
        guard !(entry.isSoft && options.guards.isOn(.softMark)) else { return nil }
        let left = entry.lifetimeLeft(at: now)
        guard left > 0, left >= through.nearNanoseconds else { return nil }
        guard let share = through.refreshShare, left < .max else { return left }
        let isNear = EarlyRefresh.isNear(left: left, age: entry.age(at: now), share: share)
        return isNear ? nil : left
    }

    /// The part of a message's demand that is the same for every key.
    private func demand(of plan: Plan, holdsLease: Bool) -> ReadDemand {
        let policy = namespaces.policy(of: plan.namespace)
        let origin = policy.origin
        let fields = plan.message.fields
        let peerUrgency = fields.reading.peerUrgency.flatMap { LoadUrgency(rawValue: $0) }
        let usual = peerUrgency == nil ? origin?.read : .cacheFirst
        var demand = ReadDemand(
            fields.reading.policy ?? usual ?? .cacheOnly,
            softWindow: policy.staleWindow, suspect: holdsLease ? nil : policy.suspect)
        demand.peerUrgency = peerUrgency
        demand.ageMax = fields.reading.maxAgeMilliseconds.map { .milliseconds(Int64($0)) }
        demand.staleMax = fields.reading.maxStaleMilliseconds.map { .milliseconds(Int64($0)) }
        // A peer decides itself which stale entries it serves.
        demand.isFreshDemanded = fields.isFresh || peerUrgency != nil
        // A namespace that has lost its origin has none to ask.
        if origin == nil { demand.policy = .cacheOnly }
        return demand
    }

    /// Answers one operation, or requests a load.
    ///
    /// - Returns: whether the answer claims to be fresh.
    mutating func readThrough(
        _ lookup: Lookup, _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        if let result = context.loads?.results[lookup.index] {
            return answer(result, lookup, &context, into: &writer)
        }
        if isHeld(lookup, in: context.namespace), lookup.operation.part == nil {
            if context.isForPeer {
                // Other nodes continue with the origin's value, until an invalidation reaches them.
                OperationResult.append(.miss, to: &writer)
                return false
            }
            return wishForHeld(lookup, &context, into: &writer)
        }
        let entry: EntryView?
        if case .lookedUp(let found) = lookup.found {
            entry = found
        } else {
            entry = entries.memory.lookup(
                lookup.hash, namespace: context.namespace, key: lookup.operation.key,
                now: context.now)
        }
        if let entry, context.isForPeer, !entry.areTagsNamed {
            // A peer that does not know all tags could not apply invalidations that cover the
            // entry.
            OperationResult.append(.miss, to: &writer)
            return false
        }
        if let entry, isOrdinary(context), context.holdsLease,
            isPlainlyFresh(entry, now: context.now)
        {
            noteNearEnd(of: entry, lookup, &context)
            return write(
                entry, Verdict(status: .hit, flags: []), lookup, &context, into: &writer)
        }
        if lookup.operation.part != nil {
            guard let entry = entry ?? ended(lookup, context) else {
                // A reader of parts has seen another value than a load would return.
                OperationResult.append(.changed, to: &writer)
                return false
            }
            let isFresh = context.holdsLease && isPlainlyFresh(entry, now: context.now)
            return write(
                entry, Verdict(status: isFresh ? .hit : .stale, flags: []), lookup, &context,
                into: &writer) && isFresh
        }
        return follow(
            plan(for: entry, lookup, context), entry, lookup, &context, into: &writer)
    }

    /// The value of a reader of parts, if it has expired and no invalidation covers it: the first
    /// part was served to this reader only, because the origin had just confirmed it.
    private func ended(
        _ lookup: Lookup, _ context: borrowing RequestContext
    ) -> EntryView? {
        let (key, namespace, now) = (lookup.operation.key, context.namespace, context.now)
        guard
            let entry = entries.memory.renewable(
                lookup.hash, namespace: namespace, key: key, now: now),
            entry.hasEnded(at: now),
            entries.memory.identity(of: entry) == lookup.operation.part?.identity
        else { return nil }
        let asOfThen = StoreCandidate(
            hash: lookup.hash, namespace: namespace, key: key,
            value: UnsafeRawBufferPointer(start: nil, count: 0), fill: entry.fill)
        return entries.memory.isUncovered(asOfThen) ? entry : nil
    }

    /// A key with accepted writes is answered by them, whatever the policy: by a load that does not
    /// ask the origin.
    private mutating func wishForHeld(
        _ lookup: Lookup, _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        let isLate = context.loads?.isLate == true
        guard !isLate, context.loadCount(of: lookup.index) < ShardLimits.loadsPerReaderMax else {
            return answerUnloaded(
                Unloaded(isLate ? .stillLoading : .overtaken), nil, lookup, &context,
                into: &writer)
        }
        context.wish(for: lookup, fallsBack: false)
        return false
    }

    func plan(
        for entry: EntryView?, _ lookup: Lookup, _ context: borrowing RequestContext
    ) -> ReadPlan {
        let now = context.now
        return ReadPlan.of(
            entry.map { Self.held($0, now: now) }, for: demand(of: lookup, context))
    }

    /// Whether a fresh entry is the answer, whatever its age.
    @inline(__always)
    private func isOrdinary(_ context: borrowing RequestContext) -> Bool {
        guard let demand = context.through?.demand, demand.ageMax == nil else { return false }
        return demand.policy == .cacheFirst || demand.policy == .cacheOnly
            || demand.policy == .staleWhileRevalidate
    }

    /// Only the lease decides whether it is served as fresh.
    @inline(__always)
    private func isPlainlyFresh(_ entry: EntryView, now: Instant) -> Bool {
        !(entry.isSoft && options.guards.isOn(.softMark)) && !entry.isPastLifetime(at: now)
            && !entry.isNegative
    }

    private func demand(
        of lookup: Lookup, _ context: borrowing RequestContext
    ) -> ReadDemand {
        var demand = context.through?.demand ?? ReadDemand(.cacheOnly)
        if lookup.operation.options.contains(.allowStale), !context.isFreshDemanded {
            demand.staleMax = .nanoseconds(Int64.max)
        }
        // An asker that requests a token wants to load the value itself.
        if lookup.operation.options.contains(.token) { demand.policy = .cacheOnly }
        if demand.suspect == .serveThenRevalidate {
            demand.toleratesUnvouched = toleratesUnvouched(lookup, context)
        }
        return demand
    }

    private static func held(_ entry: EntryView, now: Instant) -> HeldEntry {
        let standing: HeldEntry.Standing
        if let softAge = entry.softAge(at: now) {
            standing = .soft(softAge)
        } else if entry.isPastLifetime(at: now), let freshUntil = entry.freshUntil {
            standing = .past(now.elapsed(since: freshUntil))
        } else {
            standing = .fresh
        }
        return HeldEntry(
            standing, age: entry.age(at: now), terms: entry.terms ?? LoadTerms())
    }

    private mutating func follow(
        _ plan: ReadPlan, _ entry: EntryView?, _ lookup: Lookup,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        switch plan.step {
        case .answer, .answerStale:
            guard let entry else { preconditionFailure("nothing is held that could answer") }
            if plan.refreshes { context.wishForRefresh(lookup, of: entry) }
            var lookup = lookup
            lookup.isTolerated = plan.isTolerated
            return serve(
                entry, isFresh: plan.step == .answer, lookup, &context, into: &writer)
        case .behind:
            context.counters.behind += 1
            OperationResult.append(
                .behind, flags: .suspect, detail: BehindReason.lease.rawValue, to: &writer)
        case .miss:
            answerMiss(
                lookup, flags: flags(of: entry, context), isRevalidation: plan.isRevalidation,
                &context, into: &writer)
        case .load:
            if let failure = Self.reasonToStop(lookup, plan, context) {
                return answerUnloaded(
                    Unloaded(failure), plan.fallsBack ? entry : nil, lookup, &context,
                    into: &writer)
            }
            context.wish(
                for: lookup, fallsBack: plan.fallsBack, context.freshnessWished,
                isRevalidation: plan.isRevalidation)
        }
        return false
    }

    /// Why a reader that has waited does not wait for another load; `nil` if it does.
    private static func reasonToStop(
        _ lookup: Lookup, _ plan: ReadPlan, _ context: borrowing RequestContext
    ) -> LoadFailure? {
        guard let loads = context.loads else { return nil }
        if loads.isLate, plan.fallsBack || context.now >= loads.deadline { return .stillLoading }
        return context.loadCount(of: lookup.index) >= ShardLimits.loadsPerReaderMax
            ? .overtaken : nil
    }

    /// Why the held entry is not fresh, apart from its lifetime.
    private func flags(
        of entry: EntryView?, _ context: borrowing RequestContext
    ) -> ResultFlags {
        guard let entry else { return [] }
        var flags: ResultFlags = context.holdsLease ? [] : .suspect
        if entry.isSoft { flags.insert(.soft) }
        return flags
    }

    /// Writes the held entry, which may be negative.
    ///
    /// - Returns: whether the answer claims to be fresh.
    mutating func serve(
        _ entry: EntryView, isFresh: Bool, _ lookup: Lookup, _ context: inout RequestContext,
        into writer: inout ByteWriter
    ) -> Bool {
        if entry.isNegative {
            context.counters.negativeHits += 1
            let start = writer.count
            OperationResult.append(
                .miss, flags: flags(of: entry, context).union(.negative), to: &writer)
            OperationResult.setTimes(
                age: entry.ageMilliseconds(at: context.now),
                ttl: entry.ttlMilliseconds(at: context.now), at: start, in: &writer)
            if context.isForPeer {
                appendDetails(of: entry, isForPeer: true, to: &writer)
                OperationResult.finishFields(from: start, in: &writer)
            }
            return isFresh
        }
        if isFresh { noteNearEnd(of: entry, lookup, &context) }
        var verdict = Verdict(
            status: isFresh ? .hit : .stale, flags: isFresh ? [] : flags(of: entry, context))
        if lookup.isTolerated { verdict.flags.insert(.tolerated) }
        return write(entry, verdict, lookup, &context, into: &writer) && isFresh
    }

    /// Refreshes a value whose lifetime is nearly over, before its end.
    private mutating func noteNearEnd(
        of entry: EntryView, _ lookup: Lookup, _ context: inout RequestContext
    ) {
        guard let early = context.through?.earlyRefresh, let freshUntil = entry.freshUntil
        else { return }
        let left = freshUntil.elapsed(since: context.now)
        jitterDraw &+= 0x9E37_79B9_7F4A_7C15
        guard
            early.isDue(
                left: left, of: left + entry.age(at: context.now),
                draw: StableHash.mix(jitterDraw))
        else { return }
        context.wishForRefresh(lookup, of: entry)
    }
}

extension RequestContext {
    /// Lets the reader wait for a load.
    mutating func wish(
        for lookup: ShardCore.Lookup, fallsBack: Bool, _ freshness: LoadFreshness = .any,
        isRevalidation: Bool = false
    ) {
        var wish = LoadWish(
            operation: lookup.index, hash: lookup.hash, key: lookup.operation.key,
            fallsBack: fallsBack, freshness: freshness, isRevalidation: isRevalidation)
        if let urgency = through?.demand.peerUrgency {
            wish.urgency = urgency
            wish.isForPeer = true
        }
        through?.wishes.append(wish)
    }

    /// The refresh must not return the held value again: a peer may hold the same one.
    fileprivate mutating func wishForRefresh(_ lookup: ShardCore.Lookup, of entry: EntryView) {
        through?.refreshes.append(
            LoadWish(
                operation: lookup.index, hash: lookup.hash, key: lookup.operation.key,
                fallsBack: true,
                freshness: .noOlder(than: max(.zero, entry.age(at: now) - ShardLimits.ageError)),
                urgency: .refresh))
    }

    /// The required freshness of the load for the reader. A reader that has waited for one has
    /// already seen a new load end.
    fileprivate var freshnessWished: LoadFreshness {
        guard let demand = through?.demand else { return .any }
        let goesRound = demand.policy == .networkOnly || demand.policy == .networkFirst
        if goesRound { return loads == nil ? .new : .any }
        return demand.ageMax.map { .noOlder(than: $0) } ?? .any
    }
}
