import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// FORGET, and automatic forgetting. docs/decisions/0027 gives the reasons.
extension PublisherMind {
    mutating func takeForget(
        _ message: MessageView, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        let order = try NodeOrder(decoding: message)
        // A grant may have expired since the last turn, and a receipt may wait for it.
        expireGrants(now: now)
        do throws(GrantTable.Tie) {
            let dropped = try grants.drop(order.node, now: now)
            count(dropped.runCount, .forgotten)
            forgetLives(of: order.node)
            note(
                .forgot(order.node, runCount: dropped.runCount), by: asker.party, into: &actions)
            let done = Done(
                incarnation: dropped.newest, runCount: UInt16(clamping: dropped.runCount))
            reply(to: asker, into: &actions) { done.encode(requestID: asker.requestID, into: &$0) }
        } catch {
            switch error {
            case .notRegistered where lives.nodes[order.node] != nil:
                forgetLives(of: order.node)
                note(.forgot(order.node, runCount: 0), by: asker.party, into: &actions)
                let done = Done(incarnation: .none, runCount: 0)
                reply(to: asker, into: &actions) {
                    done.encode(requestID: asker.requestID, into: &$0)
                }
            case .notRegistered:
                let sentence =
                    "node \(order.node) is not in the publisher's configuration, and no run of it "
                    + "is known"
                refuse(asker, .notRegistered, sentence, into: &actions)
            case .leased(let end, let isHeard):
                let left = end.elapsed(since: now)
                refuse(
                    asker, leased: left, whyKept(order.node, left, isHeard: isHeard, now: now),
                    into: &actions)
            }
        }
    }

    private func whyKept(
        _ node: NodeID, _ left: Duration, isHeard: Bool, now: Instant
    ) -> String {
        let end = "\(left.wholeMilliseconds) ms"
        guard isHeard else {
            return "node \(node) was not heard of since the publisher's start, and may hold a "
                + "grant of the one before it for \(end) more; ask again then"
        }
        let state = state(of: node, now: now).map(\.description) ?? "unknown"
        return "node \(node) is \(state) and its grant lasts \(end) more: it may answer fresh. "
            + "Drain it first (martlet drain \(node)), or, if it is dead, ask again then"
    }

    private mutating func refuse(
        _ asker: Asker, leased left: Duration, _ sentence: String,
        into actions: inout [PublisherAction]
    ) {
        statistics.refused += 1
        var error = ErrorReply(.leased, sentence)
        error.retryAfterMilliseconds = UInt32(clamping: left.wholeMilliseconds)
        reply(to: asker, into: &actions) { error.encode(requestID: asker.requestID, into: &$0) }
    }

    /// Removes runs that ended without BYE after a time.
    mutating func dropSilentRuns(now: Instant) {
        count(grants.dropSilent(for: PublisherLimits.silenceMax, now: now), .silent)
    }

    /// Counts removed runs.
    mutating func count(_ runCount: Int, _ cause: RunRemovalCause) {
        if runCount > 0 { statistics.runsRemoved[cause, default: 0] += UInt64(runCount) }
    }
}
