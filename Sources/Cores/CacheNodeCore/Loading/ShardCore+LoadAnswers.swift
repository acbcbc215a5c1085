import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// Answers for readers that waited for a load.
extension ShardCore {
    /// - Returns: whether the answer claims to be fresh.
    mutating func answer(
        _ result: LoadResult, _ lookup: Lookup, _ context: inout RequestContext,
        into writer: inout ByteWriter
    ) -> Bool {
        switch result.content {
        case .value(let bytes, let facts):
            return write(
                (bytes, facts), of: result, lookup, &context, into: &writer)
        case .inMemory(_, let byteCount):
            return writeFromMemory(byteCount, result, lookup, &context, into: &writer)
        case .absent(let facts):
            let flags = loadedFlags(facts, of: result, lookup, context)
            let start = writer.count
            context.counters.negativeHits += 1
            OperationResult.append(
                .miss, flags: flags.union(.negative), detail: 0, to: &writer)
            setTimes(of: result, facts, at: start, now: context.now, in: &writer)
            if context.isForPeer {
                appendFields(facts, result, isForPeer: true, to: &writer)
                OperationResult.finishFields(from: start, in: &writer)
            }
            return flags.isEmpty
        case .held(let isConfirmed):
            return answerHeld(
                result, isConfirmed: isConfirmed, lookup, &context, into: &writer)
        case .failed(let failure, let retryAfter):
            return answerFailed(
                Unloaded(failure, retryAfter: retryAfter), lookup, &context, into: &writer)
        }
    }

    /// Why a reader gets no loaded value.
    struct Unloaded {
        var failure: LoadFailure
        var retryAfter: Duration?

        init(_ failure: LoadFailure, retryAfter: Duration? = nil) {
            self.failure = failure
            self.retryAfter = retryAfter
        }
    }

    /// The origin has confirmed the entry in memory, or another was stored meanwhile: that is the
    /// answer for all waiting readers. A confirmed entry is returned however short its lifetime is,
    /// and is marked if a soft invalidation came since. If it has been evicted or invalidated, it
    /// is loaded again.
    private mutating func answerHeld(
        _ result: LoadResult, isConfirmed: Bool, _ lookup: Lookup,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        let now = context.now
        guard !isHeld(lookup, in: context.namespace),
            let entry = meant(by: result, lookup, context),
            isConfirmed
                || !entry.isSoft && !entry.isPastLifetime(at: now) && !entry.hasEnded(at: now)
        else { return wishAgain(lookup, &context, into: &writer) }
        let flags = marks(of: entry, context)
        if entry.isNegative {
            return serve(entry, isFresh: flags.isEmpty, lookup, &context, into: &writer)
        }
        return write(
            entry, Verdict(status: .hit, flags: flags), lookup, &context, into: &writer)
            && flags.isEmpty
    }

    /// The entry that a load's result names, if memory still has it: also if it has expired, unless
    /// an invalidation has hidden it since.
    private mutating func meant(
        by result: LoadResult, _ lookup: Lookup, _ context: borrowing RequestContext
    ) -> EntryView? {
        let (key, namespace, now) = (lookup.operation.key, context.namespace, context.now)
        var entry = entries.memory.lookup(lookup.hash, namespace: namespace, key: key, now: now)
        if entry == nil {
            let asOfThen = StoreCandidate(
                hash: lookup.hash, namespace: namespace, key: key,
                value: UnsafeRawBufferPointer(start: nil, count: 0), fill: result.fill)
            guard entries.memory.isUncovered(asOfThen) else { return nil }
            entry = entries.memory.renewable(lookup.hash, namespace: namespace, key: key, now: now)
        }
        guard let entry, let identity = result.identity,
            entries.memory.identity(of: entry) == identity
        else { return nil }
        return entry
    }

    /// Flags that prevent an entry named by a load's result from being called fresh. A soft
    /// invalidation that covers it came after the load: an older one would have excluded it.
    private func marks(
        of entry: EntryView, _ context: borrowing RequestContext
    ) -> ResultFlags {
        let flags: ResultFlags = context.holdsLease ? [] : .suspect
        return entry.isSoft ? flags.union(.overtaken) : flags
    }

    /// - Parameter failure: the answer if it has waited for enough loads.
    private mutating func wishAgain(
        _ lookup: Lookup, else failure: LoadFailure = .overtaken,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        guard context.loadCount(of: lookup.index) < ShardLimits.loadsPerReaderMax else {
            return answerUnloaded(Unloaded(failure), nil, lookup, &context, into: &writer)
        }
        context.wish(for: lookup, fallsBack: false)
        return false
    }

    private mutating func answerFailed(
        _ unloaded: Unloaded, _ lookup: Lookup, _ context: inout RequestContext,
        into writer: inout ByteWriter
    ) -> Bool {
        let entry =
            isHeld(lookup, in: context.namespace)
            ? nil
            : entries.memory.lookup(
                lookup.hash, namespace: context.namespace, key: lookup.operation.key,
                now: context.now)
        guard let entry else {
            return answerUnloaded(unloaded, nil, lookup, &context, into: &writer)
        }
        let plan = plan(for: entry, lookup, context)
        // It may have been stored meanwhile.
        if plan.step == .answer {
            return serve(entry, isFresh: true, lookup, &context, into: &writer)
        }
        let fallsBack = plan.fallsBack && !unloaded.failure.isRefusal
        return answerUnloaded(
            unloaded, fallsBack ? entry : nil, lookup, &context, into: &writer)
    }

    /// The origin returned nothing: the answer is the held entry, which may be fresh, or the
    /// reason.
    ///
    /// - Returns: whether the answer claims to be fresh.
    mutating func answerUnloaded(
        _ unloaded: Unloaded, _ entry: EntryView?, _ lookup: Lookup,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        if let entry {
            context.counters.fallbacks += 1
            let isFresh =
                context.holdsLease && !entry.isSoft && !entry.isPastLifetime(at: context.now)
                && context.through?.demand.ageMax == nil
            return serve(entry, isFresh: isFresh, lookup, &context, into: &writer)
        }
        context.counters.failedReads += 1
        let start = writer.count
        OperationResult.append(
            .failed, flags: context.holdsLease ? [] : .suspect,
            detail: unloaded.failure.rawValue, to: &writer)
        if let retryAfter = unloaded.retryAfter {
            OperationResult.appendField(
                retryAfterMilliseconds: UInt32(clamping: max(1, retryAfter.wholeMilliseconds)),
                to: &writer)
        }
        OperationResult.finishFields(from: start, in: &writer)
        return false
    }

    // MARK: A loaded value

    private mutating func write(
        _ value: (bytes: [UInt8], facts: LoadedFacts), of result: LoadResult, _ lookup: Lookup,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        let (bytes, facts) = value
        let countWith = writer.count - context.start + bytes.count
        guard countWith <= ShardLimits.answerRoomBytes else {
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        context.counters.loadedHits += 1
        let flags = loadedFlags(facts, of: result, lookup, context)
        let start = writer.count
        OperationResult.append(.hit, flags: flags, detail: Tier.origin.rawValue, to: &writer)
        setTimes(of: result, facts, at: start, now: context.now, in: &writer)
        if lookup.operation.options.contains(.details) {
            appendFields(facts, result, isForPeer: context.isForPeer, to: &writer)
            OperationResult.finishFields(from: start, in: &writer)
        }
        bytes.withUnsafeBytes { OperationResult.appendValue($0, at: start, to: &writer) }
        return flags.isEmpty
    }

    /// A value of several frames is read from memory, part by part; so is a value that was not held
    /// until the other loads had ended. If it has been evicted, it is loaded again, for this
    /// message; a smaller value after others is deferred to another message.
    private mutating func writeFromMemory(
        _ byteCount: Int, _ result: LoadResult, _ lookup: Lookup,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        let isLarge = byteCount > WireLimits.chunkBytesMax
        guard isLarge || !isHeld(lookup, in: context.namespace),
            let entry = meant(by: result, lookup, context),
            !entry.isNegative
        else {
            // A value that was stored and evicted may be there the next time; one that was not
            // stored will not. A large one is counted here: if its reader asked again, its count
            // would start anew.
            guard !isLarge || result.identity != nil else {
                return answerUnloaded(Unloaded(.notKept), nil, lookup, &context, into: &writer)
            }
            guard !isLarge else {
                return wishAgain(lookup, else: .notKept, &context, into: &writer)
            }
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        let flags = marks(of: entry, context)
        return write(
            entry, Verdict(status: .hit, flags: flags), lookup, &context, into: &writer)
            && flags.isEmpty
    }

    /// Flags that prevent a loaded value from being called fresh.
    mutating func loadedFlags(
        _ facts: LoadedFacts, of result: LoadResult, _ lookup: Lookup,
        _ context: borrowing RequestContext
    ) -> ResultFlags {
        let namespace = context.namespace
        var flags: ResultFlags = context.holdsLease ? [] : .suspect
        let isCovered = withTags(of: facts) { core in
            let candidate = StoreCandidate(
                hash: lookup.hash, namespace: namespace, key: lookup.operation.key,
                value: UnsafeRawBufferPointer(start: nil, count: 0), fill: result.fill)
            return core.isCovered(candidate)
        }
        if isCovered { flags.insert(.overtaken) }
        return flags
    }

    /// A value that must not be stored has no remaining lifetime for any reader that would store
    /// it.
    private func setTimes(
        of result: LoadResult, _ facts: LoadedFacts, at start: Int, now: Instant,
        in writer: inout ByteWriter
    ) {
        let left = result.life?.freshUntil?.millisecondsSince(now) ?? .max
        OperationResult.setTimes(
            age: UInt64(
                (now.elapsed(since: result.endedAt) + (result.life?.age ?? .zero))
                    .wholeMilliseconds),
            ttl: facts.mayStore ? left : 0, at: start, in: &writer)
    }

    private func appendFields(
        _ facts: LoadedFacts, _ result: LoadResult, isForPeer: Bool, to writer: inout ByteWriter
    ) {
        if facts.version != .none {
            OperationResult.appendField(version: facts.version, to: &writer)
        }
        facts.validator?.bytes.withUnsafeBytes {
            OperationResult.appendField(OperationResult.FieldID.etag, $0, to: &writer)
        }
        for tag in facts.tags {
            tag.bytes.withUnsafeBytes {
                OperationResult.appendField(OperationResult.FieldID.tag, $0, to: &writer)
            }
        }
        RepresentationFields.append(
            facts.representation, by: RepresentationFields.inResult, to: &writer)
        OperationResult.appendField(fillPosition: log.position(of: result.fill), to: &writer)
        guard isForPeer || !facts.mayStore else { return }
        appendTerms(result.life?.terms ?? LoadTerms(), mayKeep: facts.mayStore, to: &writer)
    }

    /// Fields for a peer beside the details, and for every reader of a value that must not be
    /// stored.
    func appendTerms(_ terms: LoadTerms, mayKeep: Bool, to writer: inout ByteWriter) {
        let revalidate = terms.staleWhileRevalidate.wholeMilliseconds
        let error = terms.staleIfError.wholeMilliseconds
        OperationResult.appendField(
            terms: ResultFields.Terms(
                staleWhileRevalidate: UInt32(clamping: revalidate),
                staleIfError: UInt32(clamping: error), mustNotBeKept: !mayKeep),
            to: &writer)
    }
}
