import CacheAccess
import CacheModel
import CacheWire

/// How much each key asks, where keys are asked for. docs/decisions/0055 gives the reasons.
extension ShardCore {
    /// Takes what a message asks out of its sender's budget.
    ///
    /// - Throws: `busy`, with when there is room again.
    mutating func charge(
        _ message: MessageView, of frame: RequestFrame, now: Instant
    ) throws(WireRefusal) {
        let charge = budgets.charge(
            frame.principal, operations: max(1, message.count), bytes: frame.bytes.count, now: now)
        guard case .beyond(let retryAfter) = charge else { return }
        statistics.busy += 1
        statistics.overBudget += 1
        throw WireRefusal(
            .busy, "your key has asked as much as it may", retryAfterMilliseconds: retryAfter)
    }

    /// Takes what was answered out of it, too.
    mutating func pay(
        _ principal: PrincipalNumber, from byteCount: Int, in replies: borrowing ReplyBuffer,
        now: Instant
    ) {
        guard access != nil else { return }
        budgets.pay(principal, bytes: replies.byteCount - byteCount, now: now)
    }

    /// Takes what a page of a scan looked at out of it: that is the work, whatever was found. The
    /// first operation was taken with the message.
    mutating func pay(_ principal: PrincipalNumber, lookCount: Int, now: Instant) {
        guard access != nil else { return }
        budgets.pay(principal, operations: lookCount / ShardLimits.scanLooksPerOperation, now: now)
    }

    /// Whether one more refusal is worth an answer. Who is refused without end is left in silence.
    mutating func isRefusalSaid(to principal: PrincipalNumber, now: Instant) -> Bool {
        guard access != nil, !budgets.mayRefuse(principal, now: now) else { return true }
        statistics.refusedMessages += 1
        statistics.refusedSilently += 1
        return false
    }
}
