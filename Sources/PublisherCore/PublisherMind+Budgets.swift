import CacheAccess
import CacheModel
import CacheWire

/// How much each key asks, where keys are asked for. docs/decisions/0055 gives the reasons.
extension PublisherMind {
    /// Takes what a message asks out of its sender's budget: a scope is an operation.
    ///
    /// - Throws: `busy`, with when there is room again.
    mutating func charge(
        _ message: MessageView, _ bytes: Int, of principal: PrincipalNumber, now: Instant
    ) throws(WireRefusal) {
        guard access != nil else { return }
        let charge = budgets.charge(
            principal, operations: max(1, message.count), bytes: bytes, now: now)
        guard case .beyond(let retryAfter) = charge else { return }
        statistics.overBudget += 1
        throw WireRefusal(
            .busy, "your key has asked as much as it may; nothing was done",
            retryAfterMilliseconds: retryAfter)
    }

    /// Takes what was answered out of it, too: at once, or in a later turn.
    mutating func pay(for actions: ArraySlice<PublisherAction>, now: Instant) {
        guard access != nil else { return }
        for case .reply(_, let frame, let principal) in actions {
            budgets.pay(principal, bytes: frame.count, now: now)
        }
    }

    /// Whether one more refusal is worth an answer. Who is refused without end is left in silence.
    mutating func isRefusalSaid(to principal: PrincipalNumber, now: Instant) -> Bool {
        guard access != nil, !budgets.mayRefuse(principal, now: now) else { return true }
        statistics.refused += 1
        statistics.refusedSilently += 1
        return false
    }
}
