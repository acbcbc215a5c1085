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
    /// discarded.
    @inline(never)
    mutating func answerReadThrough(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        let message = beginResults(plan, now: now, into: &replies)
        let hits = statistics.hits
        let front = answerPlainHits(of: plan, message.start, now: now, into: &replies)
        guard front.index < plan.message.count else {
            statistics.gets += UInt64(plan.message.count)
            return finishResults(
                message, plan, claimsFresh: front.claimsFresh, now: now, in: &replies)
        }
        var before = statistics
        before.hits = hits
        setDemand(of: plan, now: now)
        let claimsFresh = lookUp(from: front, plan, message.start, now: now, into: &replies)
        readDemand = nil
        beginRefreshes(of: plan, now: now, effects: &effects)
        defer { grantsAtHand.removeAll(keepingCapacity: true) }
        guard loadWishes.isEmpty else {
            statistics = before
            // The asker does not learn of them: otherwise the message, answered again, would wait
            // for its own leases.
            loads.takeBack(grantsAtHand)
            let missed = loadWishes.count { $0.urgency == .awaited }
            statistics.misses += UInt64(loadsAtHand == nil ? missed : 0)
            replies.writer.truncate(to: message.start)
            return waitForLoads(plan, now: now, into: &replies, effects: &effects)
        }
        finishResults(message, plan, claimsFresh: claimsFresh, now: now, in: &replies)
    }

    /// Answers the front of a message as long as entries are held, fresh and not near their end.
    /// This covers nearly all of most messages, and needs no check of the demand.
    @inline(__always)
    private mutating func answerPlainHits(
        of plan: Plan, _ start: Int, now: Instant, into replies: inout ReplyBuffer
    ) -> GetFront {
        let through = namespaces.through(plan.namespace)
        guard through.servesHeldFirst, writes.heldKeys.isEmpty, loadsAtHand == nil,
            holdsLease(at: now),
            disk?.records.areNeeded != true,
            plan.message.fields.readPolicy == nil, plan.message.fields.maxAgeMilliseconds == nil,
            plan.message.fields.peerUrgency == nil
        else { return GetFront(plan) }
        var (reader, claimsFresh) = (ByteReader(plan.message.body), false)
        for index in 0..<plan.message.count {
            let before = reader
            let lookup = nextLookup(&reader, index, of: plan, start, holdsLease: true)
            let operation = lookup.operation
            guard operation.isKeyValid, operation.part == nil,
                !operation.options.contains(.prefetch)
            else {
                return GetFront(before, index, claimsFresh, .notYet)
            }
            let entry = tier.lookup(
                lookup.hash, namespace: lookup.namespace, key: operation.key, now: now)
            guard let entry, let left = plainLifetime(of: entry, through, now: now) else {
                return GetFront(before, index, claimsFresh, .lookedUp(entry))
            }
            let verdict = Verdict(
                status: .hit, flags: [], timeToLive: left == .max ? .max : left / 1_000_000)
            if write(entry, verdict, lookup, now: now, into: &replies.writer) {
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

    /// Sets the demand for the rest of a message.
    private mutating func setDemand(of plan: Plan, now: Instant) {
        let policy = namespaces.policy(of: plan.namespace)
        let origin = policy.origin
        traceAtHand = plan.message.fields.traceContext
        readDemand = demand(of: plan, policy, origin, holdsLease: holdsLease(at: now))
        earlyRefresh = origin.map {
            EarlyRefresh(
                share: $0.refreshShare,
                loadDuration: loads.duration(in: plan.namespace))
        }
    }

    /// The part of a message's demand that is the same for every key.
    private func demand(
        of plan: Plan, _ policy: NamespacePolicy, _ origin: OriginPolicy?, holdsLease: Bool
    ) -> ReadDemand {
        let fields = plan.message.fields
        let peerUrgency = fields.peerUrgency.flatMap { LoadUrgency(rawValue: $0) }
        let usual = peerUrgency == nil ? origin?.read : .cacheFirst
        var demand = ReadDemand(
            fields.readPolicy ?? usual ?? .cacheOnly,
            softWindow: policy.staleWindow, suspect: holdsLease ? nil : policy.suspect)
        demand.peerUrgency = peerUrgency
        demand.ageMax = fields.maxAgeMilliseconds.map { .milliseconds(Int64($0)) }
        demand.staleMax = fields.maxStaleMilliseconds.map { .milliseconds(Int64($0)) }
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
        _ lookup: Lookup, now: Instant, into writer: inout ByteWriter
    ) -> Bool {
        if let result = loadsAtHand?.results[lookup.index] {
            return answer(result, lookup, now: now, into: &writer)
        }
        if isHeld(lookup), lookup.operation.part == nil {
            if readDemand?.peerUrgency != nil {
                // Other nodes continue with the origin's value, until an invalidation reaches them.
                OperationResult.append(.miss, to: &writer)
                return false
            }
            return wishForHeld(lookup, now: now, into: &writer)
        }
        let entry: EntryView?
        if case .lookedUp(let found) = lookup.found {
            entry = found
        } else {
            entry = tier.lookup(
                lookup.hash, namespace: lookup.namespace, key: lookup.operation.key, now: now)
        }
        if let entry, readDemand?.peerUrgency != nil, !entry.areTagsNamed {
            // A peer that does not know all tags could not apply invalidations that cover the
            // entry.
            OperationResult.append(.miss, to: &writer)
            return false
        }
        if let entry, isOrdinary(lookup), lookup.holdsLease, isPlainlyFresh(entry, now: now) {
            noteNearEnd(of: entry, lookup, now: now)
            return write(
                entry, Verdict(status: .hit, flags: []), lookup, now: now, into: &writer)
        }
        if lookup.operation.part != nil {
            guard let entry = entry ?? ended(lookup, now: now) else {
                // A reader of parts has seen another value than a load would return.
                OperationResult.append(.changed, to: &writer)
                return false
            }
            let isFresh = lookup.holdsLease && isPlainlyFresh(entry, now: now)
            return write(
                entry, Verdict(status: isFresh ? .hit : .stale, flags: []), lookup, now: now,
                into: &writer) && isFresh
        }
        return follow(
            plan(for: entry, lookup, now: now), entry, lookup, now: now, into: &writer)
    }

    /// The value of a reader of parts, if it has expired and no invalidation covers it: the first
    /// part was served to this reader only, because the origin had just confirmed it.
    private func ended(_ lookup: Lookup, now: Instant) -> EntryView? {
        let (key, namespace) = (lookup.operation.key, lookup.namespace)
        guard
            let entry = tier.renewable(lookup.hash, namespace: namespace, key: key, now: now),
            entry.hasEnded(at: now), tier.identity(of: entry) == lookup.operation.part?.identity
        else { return nil }
        let asOfThen = StoreCandidate(
            hash: lookup.hash, namespace: namespace, key: key,
            value: UnsafeRawBufferPointer(start: nil, count: 0), fill: entry.fill)
        return tier.isUncovered(asOfThen) ? entry : nil
    }

    /// A key with accepted writes is answered by them, whatever the policy: by a load that does not
    /// ask the origin.
    private mutating func wishForHeld(
        _ lookup: Lookup, now: Instant, into writer: inout ByteWriter
    ) -> Bool {
        let count = loadsAtHand?.counts[lookup.index, default: 0] ?? 0
        guard loadsAtHand?.isLate != true, count < ShardLimits.loadsPerReaderMax else {
            return answerUnloaded(
                Unloaded(loadsAtHand?.isLate == true ? .stillLoading : .overtaken), nil, lookup,
                now: now, into: &writer)
        }
        wish(for: lookup, fallsBack: false, .any)
        return false
    }

    func plan(for entry: EntryView?, _ lookup: Lookup, now: Instant) -> ReadPlan {
        ReadPlan.of(entry.map { Self.held($0, now: now) }, for: demand(of: lookup, now: now))
    }

    /// Whether a fresh entry is the answer, whatever its age.
    @inline(__always)
    private func isOrdinary(_ lookup: Lookup) -> Bool {
        guard let readDemand, readDemand.ageMax == nil else { return false }
        return readDemand.policy == .cacheFirst || readDemand.policy == .cacheOnly
            || readDemand.policy == .staleWhileRevalidate
    }

    /// Only the lease decides whether it is served as fresh.
    @inline(__always)
    private func isPlainlyFresh(_ entry: EntryView, now: Instant) -> Bool {
        !(entry.isSoft && options.guards.isOn(.softMark)) && !entry.isPastLifetime(at: now)
            && !entry.isNegative
    }

    private func demand(of lookup: Lookup, now: Instant) -> ReadDemand {
        var demand = readDemand ?? ReadDemand(.cacheOnly)
        if lookup.operation.options.contains(.allowStale), !lookup.isFreshDemanded {
            demand.staleMax = .nanoseconds(Int64.max)
        }
        // An asker that requests a token wants to load the value itself.
        if lookup.operation.options.contains(.token) { demand.policy = .cacheOnly }
        if demand.suspect == .serveThenRevalidate {
            demand.toleratesUnvouched = toleratesUnvouched(lookup, now: now)
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
        _ plan: ReadPlan, _ entry: EntryView?, _ lookup: Lookup, now: Instant,
        into writer: inout ByteWriter
    ) -> Bool {
        switch plan.step {
        case .answer, .answerStale:
            guard let entry else { preconditionFailure("nothing is held that could answer") }
            if plan.refreshes { wishForRefresh(lookup, of: entry, now: now) }
            var lookup = lookup
            lookup.isTolerated = plan.isTolerated
            return serve(
                entry, isFresh: plan.step == .answer, lookup, now: now, into: &writer)
        case .behind:
            statistics.behind += 1
            OperationResult.append(
                .behind, flags: .suspect, detail: BehindReason.lease.rawValue, to: &writer)
        case .miss:
            answerMiss(
                lookup, flags: flags(of: entry, lookup), isRevalidation: plan.isRevalidation,
                now: now, into: &writer)
        case .load:
            if let failure = reasonToStop(lookup, plan, now: now) {
                return answerUnloaded(
                    Unloaded(failure), plan.fallsBack ? entry : nil, lookup, now: now,
                    into: &writer)
            }
            wish(for: lookup, fallsBack: plan.fallsBack, freshnessWished)
            loadWishes[loadWishes.count - 1].isRevalidation = plan.isRevalidation
        }
        return false
    }

    /// Why a reader that has waited does not wait for another load; `nil` if it does.
    private func reasonToStop(
        _ lookup: Lookup, _ plan: ReadPlan, now: Instant
    ) -> LoadFailure? {
        guard let loadsAtHand else { return nil }
        if loadsAtHand.isLate, plan.fallsBack || now >= loadsAtHand.deadline {
            return .stillLoading
        }
        let count = loadsAtHand.counts[lookup.index, default: 0]
        return count >= ShardLimits.loadsPerReaderMax ? .overtaken : nil
    }

    /// Lets the reader wait for a load.
    mutating func wish(
        for lookup: Lookup, fallsBack: Bool, _ freshness: LoadFreshness
    ) {
        var wish = LoadWish(
            operation: lookup.index, hash: lookup.hash, key: lookup.operation.key,
            fallsBack: fallsBack, freshness: freshness)
        if let urgency = readDemand?.peerUrgency {
            wish.urgency = urgency
            wish.isForPeer = true
        }
        loadWishes.append(wish)
    }

    /// The required freshness of the load for the reader. A reader that has waited for one has
    /// already seen a new load end.
    private var freshnessWished: LoadFreshness {
        guard let readDemand else { return .any }
        let goesRound =
            readDemand.policy == .networkOnly || readDemand.policy == .networkFirst
        if goesRound { return loadsAtHand == nil ? .new : .any }
        return readDemand.ageMax.map { .noOlder(than: $0) } ?? .any
    }

    /// Why the held entry is not fresh, apart from its lifetime.
    private func flags(of entry: EntryView?, _ lookup: Lookup) -> ResultFlags {
        guard let entry else { return [] }
        var flags: ResultFlags = lookup.holdsLease ? [] : .suspect
        if entry.isSoft { flags.insert(.soft) }
        return flags
    }

    /// Writes the held entry, which may be negative.
    ///
    /// - Returns: whether the answer claims to be fresh.
    mutating func serve(
        _ entry: EntryView, isFresh: Bool, _ lookup: Lookup, now: Instant,
        into writer: inout ByteWriter
    ) -> Bool {
        if entry.isNegative {
            statistics.negativeHits += 1
            let start = writer.count
            OperationResult.append(
                .miss, flags: flags(of: entry, lookup).union(.negative), to: &writer)
            OperationResult.setTimes(
                age: entry.ageMilliseconds(at: now),
                ttl: entry.ttlMilliseconds(at: now), at: start, in: &writer)
            if readDemand?.peerUrgency != nil {
                appendDetails(of: entry, to: &writer)
                OperationResult.finishFields(from: start, in: &writer)
            }
            return isFresh
        }
        if isFresh { noteNearEnd(of: entry, lookup, now: now) }
        var verdict = Verdict(
            status: isFresh ? .hit : .stale, flags: isFresh ? [] : flags(of: entry, lookup))
        if lookup.isTolerated { verdict.flags.insert(.tolerated) }
        return write(entry, verdict, lookup, now: now, into: &writer) && isFresh
    }

    /// Refreshes a value whose lifetime is nearly over, before its end.
    private mutating func noteNearEnd(of entry: EntryView, _ lookup: Lookup, now: Instant) {
        guard let early = earlyRefresh, let freshUntil = entry.freshUntil else { return }
        let left = freshUntil.elapsed(since: now)
        jitterDraw &+= 0x9E37_79B9_7F4A_7C15
        guard
            early.isDue(
                left: left, of: left + entry.age(at: now), draw: StableHash.mix(jitterDraw))
        else { return }
        wishForRefresh(lookup, of: entry, now: now)
    }

    /// The refresh must not return the held value again: a peer may hold the same one.
    private mutating func wishForRefresh(_ lookup: Lookup, of entry: EntryView, now: Instant) {
        refreshWishes.append(
            LoadWish(
                operation: lookup.index, hash: lookup.hash, key: lookup.operation.key,
                fallsBack: true,
                freshness: .noOlder(than: max(.zero, entry.age(at: now) - ShardLimits.ageError)),
                urgency: .refresh))
    }
}
