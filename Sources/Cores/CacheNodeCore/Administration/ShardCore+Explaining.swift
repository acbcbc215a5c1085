import ByteCoding
import CacheMemory
import CacheModel
import CacheWire

/// EXPLAIN: why a key would be served, or would not.
extension ShardCore {
    mutating func answerExplain(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) {
        do throws(WireRefusal) {
            let request = try KeyQuestion(decoding: plan.message)
            let explanation = explain(request.key, in: plan.namespace, now: now)
            let start = replies.writer.count
            explanation.encode(requestID: plan.message.requestID, into: &replies.writer)
            replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    private mutating func explain(
        _ key: CacheKey, in namespace: NamespaceNumber, now: Instant
    ) -> Explanation {
        key.bytes.withUnsafeBytes { key in
            let hash = entries.memory.hash(namespace: namespace, key: key)
            let account = entries.memory.explain(hash, namespace: namespace, key: key, now: now)
            var explanation = Explanation(
                verdict(on: account, in: namespace, now: now), log.standing.state(at: now),
                applied: log.applied.position)
            explanation.leaseLeftMilliseconds = log.standing.leaseLeftMilliseconds(at: now)
            explanation.loadLeftMilliseconds = UInt32(
                clamping: loads.leases.timeLeft(of: hash, now: now).wholeMilliseconds)
            explanation.tokenBase = log.position(of: account.tokenBase)
            explanation.entry = account.entry.map { described($0, now: now) }
            explanation.floors = account.floors.map { described($0, over: account.entry) }
            return explanation
        }
    }

    /// The result of a GET that allows nothing stale.
    func verdict(
        on account: EntryAccount, in namespace: NamespaceNumber, now: Instant
    ) -> Explanation.Verdict {
        guard let entry = account.entry, let standing = account.standing else { return .absent }
        switch standing {
        case .over(.expired): return .expired
        case .over(.forgotten): return .forgotten
        case .over: return .invalidated
        case .withheld: return entry.hasEnded(at: now) ? .expired : .withheld
        case .visible: break
        }
        if entry.isSoft { return .soft }
        if entry.isPastLifetime(at: now) { return .expired }
        if entry.isNegative { return .absent }
        if holdsLease(at: now) { return .fresh }
        switch namespaces.policy(of: namespace).suspect {
        case .serve: return .suspectServed
        case .refuse: return .suspectRefused
        case .revalidate: return .suspectHidden
        case .serveThenRevalidate:
            let window = namespaces.policy(of: namespace).suspectWindow
            return log.standing.hasVouched(within: window, of: now)
                ? .suspectServed : .suspectHidden
        }
    }

    private func described(_ entry: EntryView, now: Instant) -> Explanation.Entry {
        var described = Explanation.Entry()
        described.valueBytes = UInt32(clamping: entry.value.count)
        described.chargedBytes = UInt32(clamping: entries.memory.costBytes(of: entry))
        described.version = entry.version
        described.ageMilliseconds = entry.ageMilliseconds(at: now)
        let left = entry.ttlMilliseconds(at: now)
        described.ttlMilliseconds = left == .max ? nil : left
        described.softMilliseconds = entry.softAge(at: now)?.wholeMilliseconds
        described.fill = log.position(of: entry.fill)
        described.isUnfenced = entry.isUnfenced
        described.etag = Validator(bytes: [UInt8](entry.validator))
        described.representation =
            Representation(stored: entry.representation) ?? Representation()
        entry.forEachTag { if let tag = Tag(bytes: [UInt8]($0)) { described.tags.append(tag) } }
        return described
    }

    private func described(
        _ floor: CoveringFloor, over entry: EntryView?
    ) -> Explanation.Floor {
        var described: Explanation.Floor
        switch floor.cover {
        case .key: described = Explanation.Floor(.key)
        case .tag(let name): described = Explanation.Floor(.tag, named: name)
        case .prefix(let name): described = Explanation.Floor(.prefix, named: name)
        case .namespace: described = Explanation.Floor(.namespace)
        case .everything: described = Explanation.Floor(.everything)
        case .history: described = Explanation.Floor(.history)
        }
        described.hard = log.position(of: floor.hard)
        described.soft = log.position(of: floor.soft)
        described.minimumVersion = floor.minimumVersion
        // The floor of a key hides no entry: its invalidation removed or marked the entry at once.
        if let entry, floor.cover != .key {
            described.isAboveEntry = entry.fill < max(floor.hard, floor.soft)
        } else {
            described.isAboveEntry = floor.hidLast
        }
        return described
    }
}
