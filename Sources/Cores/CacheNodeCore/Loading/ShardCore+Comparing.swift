import ByteCoding
import CacheAccess
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// COMPARE: whether the value that would be served for a key equals the value at its origin.
///
///     COMPARE ─▶ a fresh value? ──no──▶ not shown
///                   │ yes: digest, fill
///                   ▼
///              .load, as a prefetch ─▶ … ─▶ compared ─▶ still the same value? ─▶ COMPARISON
///
/// It uses the path of a load but is none: nothing is stored or counted, no lease is taken, and the
/// origin's answer is dropped after the comparison.
extension ShardCore {
    mutating func answerCompare(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        do throws(WireRefusal) {
            let question = try KeyQuestion(decoding: plan.message)
            guard namespaces.isConfigured else {
                throw WireRefusal(
                    .unavailable, "the node has not received a configuration that it can read")
            }
            guard let origin = namespaces.policy(of: plan.namespace).origin else {
                throw WireRefusal(.unsupported, "the namespace has no origin to compare with")
            }
            guard !isPending(question.key, in: plan.namespace) else {
                return reply(comparison(.pending, now: now), to: plan, into: &replies)
            }
            guard let (shown, _) = shown(of: question.key, in: plan.namespace, now: now) else {
                return reply(comparison(.notShown, now: now), to: plan, into: &replies)
            }
            let shareholder = admission.shareholder(plan.frame.principal)
            guard hasRoomToWait(plan), loads.mayCompare(shareholder) else {
                throw WireRefusal(.busy, "as many comparisons are under way as may be")
            }
            let deadline = askerDeadline(of: plan, now: now)
            let pending = PendingComparison(
                request: waiting.insert(
                    plan.frame, deadline: deadline,
                    condition: .comparison(nil), now: now),
                shareholder: shareholder, key: question.key, namespace: plan.namespace,
                shown: shown, askedAt: now)
            let timeout = min(origin.timeout, deadline.elapsed(since: now))
            effects.append(.load(load(for: pending, question, origin, timeout: timeout)))
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    /// The request is not conditional: an origin that confirms an old value would be a difference,
    /// too.
    private mutating func load(
        for pending: PendingComparison, _ question: KeyQuestion, _ origin: OriginPolicy,
        timeout: Duration
    ) -> ShardLoad {
        let policy = namespaces.policy(of: pending.namespace)
        return ShardLoad(
            number: loads.beginComparison(pending),
            request: OriginRequest(
                namespace: question.namespace, key: question.key, policy: origin,
                valueBytesMax: policy.valueBytesMax, timeout: timeout),
            urgency: .prefetch)
    }

    /// The request to an origin with this number has ended. An unknown number is ignored.
    mutating func compared(_ number: UInt64, _ outcome: LoadOutcome, now: Instant) {
        guard let pending = loads.endComparison(number) else { return }
        var result: OriginComparison
        switch outcome {
        case .value(let bytes, let facts):
            let value = ValueImprint(
                valueBytes: bytes.count, digest: StableHash.hash(bytes),
                version: facts.version, etag: facts.validator)
            result = judged(pending, beside: value, now: now)
        case .absent: result = judged(pending, beside: nil, now: now)
        case .failed(let failure, _): result = failed(failure, now: now)
        // The request was not conditional.
        case .unchanged: result = failed(.malformed, now: now)
        }
        result.took = now.elapsed(since: pending.askedAt)
        waiting.compared(pending.request, result)
    }

    private mutating func judged(
        _ pending: PendingComparison, beside origin: ValueImprint?, now: Instant
    ) -> OriginComparison {
        guard !isPending(pending.key, in: pending.namespace) else {
            return comparison(.pending, now: now)
        }
        let found = shown(of: pending.key, in: pending.namespace, now: now)
        guard let (shown, age) = found, shown == pending.shown else {
            return comparison(.changed, now: now)
        }
        let isSame =
            switch (shown.value, origin) {
            case (nil, nil): true
            case (let shown?, let origin?): shown.isSameValue(as: origin)
            default: false
            }
        var result = comparison(isSame ? .same : .differs, now: now)
        result.shown = shown.value
        result.origin = origin
        let filled = log.position(of: shown.fill)
        result.filled = filled == .none ? nil : filled
        result.isUnfenced = shown.isUnfenced
        result.age = age
        return result
    }

    /// The answer if the deadline passed before the origin's answer came.
    func lateComparison(now: Instant) -> OriginComparison { failed(.stillLoading, now: now) }

    private func failed(_ failure: LoadFailure, now: Instant) -> OriginComparison {
        var result = comparison(.failed, now: now)
        result.failure = failure
        return result
    }

    private func comparison(_ verdict: OriginComparison.Verdict, now: Instant) -> OriginComparison {
        OriginComparison(verdict, log.standing.state(at: now), applied: log.applied.position)
    }

    func reply(_ comparison: OriginComparison, to plan: Plan, into replies: inout ReplyBuffer) {
        let start = replies.writer.count
        comparison.encode(requestID: plan.message.requestID, into: &replies.writer)
        replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
    }

    // MARK: The served value

    /// The answer of a GET that allows nothing stale, if it is fresh, with its age; `nil`
    /// otherwise.
    private mutating func shown(
        of key: CacheKey, in namespace: NamespaceNumber, now: Instant
    ) -> (PendingComparison.Shown, age: Duration)? {
        key.bytes.withUnsafeBytes { bytes in
            let hash = entries.memory.hash(namespace: namespace, key: bytes)
            let account = cluster.handOver.shown(
                entries.memory.explain(hash, namespace: namespace, key: bytes, now: now), bytes)
            guard let entry = account.entry, holdsLease(at: now) else { return nil }
            var shown = PendingComparison.Shown(fill: entry.fill, isUnfenced: entry.isUnfenced)
            let verdict = Explanation.Verdict(
                on: account, namespaces.policy(of: namespace), log.standing, now: now)
            switch verdict {
            case .fresh:
                shown.value = ValueImprint(
                    valueBytes: entry.value.count, digest: StableHash.hash(entry.value),
                    version: entry.version, etag: Validator(bytes: [UInt8](entry.validator)))
            case .absent where entry.isNegative: break
            default: return nil
            }
            return (shown, entry.age(at: now))
        }
    }

    /// Whether writes of the key wait to be sent to the origin.
    private func isPending(_ key: CacheKey, in namespace: NamespaceNumber) -> Bool {
        writes.heldKeys.contains(LoadKey(namespace: namespace.rawValue, bytes: key.bytes))
    }
}
