import CacheAccess
import CacheModel
import CacheWire

/// The rate limits of keys, if access control is on. docs/decisions/0055 gives the reasons.
extension PublisherMind {
    /// Charges a message to its sender's budget: a scope is an operation.
    ///
    /// - Throws: `busy`, with the time until the budget allows a retry.
    mutating func charge(
        _ message: MessageView, _ bytes: Int, of principal: PrincipalNumber, now: Instant
    ) throws(WireRefusal) {
        guard access != nil else { return }
        let charge = budgets.charge(
            principal, operations: max(1, message.count), bytes: bytes, now: now)
        guard case .beyond(let retryAfter) = charge else { return }
        output.statistics.overBudget += 1
        throw WireRefusal(
            .busy, "your key has asked as much as it may; nothing was done",
            retryAfterMilliseconds: retryAfter)
    }

    /// Charges the bytes of the answers, too: at once, or in a later turn.
    mutating func pay(for actions: ArraySlice<PublisherAction>, now: Instant) {
        guard access != nil else { return }
        for case .reply(_, let frame, let principal) in actions {
            budgets.pay(principal, bytes: frame.count, now: now)
        }
    }

    /// Whether one more refusal is answered. A key that is refused too often gets no more answers.
    mutating func isRefusalSaid(to principal: PrincipalNumber, now: Instant) -> Bool {
        guard access != nil, !budgets.mayRefuse(principal, now: now) else { return true }
        output.statistics.refused += 1
        output.statistics.refusedSilently += 1
        return false
    }
}
