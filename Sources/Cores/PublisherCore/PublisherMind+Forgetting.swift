import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// FORGET, and automatic forgetting. docs/decisions/0027 gives the reasons.
extension PublisherMind {
    mutating func takeForget(_ message: IncomingMessage) throws(WireRefusal) {
        let (requester, now) = (message.requester, message.now)
        let order = try NodeOrder(decoding: message.view)
        // A grant may have expired since the last turn, and a receipt may wait for it.
        expireGrants(now: now)
        do throws(GrantTable.Tie) {
            let dropped = try grants.drop(order.node, now: now)
            count(dropped.runCount, .forgotten)
            runs.remove(order.node)
            output.audit(.forgot(order.node, runCount: dropped.runCount), by: requester.party)
            let done = Done(
                incarnation: dropped.newest, runCount: UInt16(clamping: dropped.runCount))
            output.reply(to: requester) { done.encode(requestID: requester.requestID, into: &$0) }
        } catch {
            switch error {
            case .notRegistered where runs.book.nodes[order.node] != nil:
                runs.remove(order.node)
                output.audit(.forgot(order.node, runCount: 0), by: requester.party)
                let done = Done(incarnation: .none, runCount: 0)
                output.reply(to: requester) {
                    done.encode(requestID: requester.requestID, into: &$0)
                }
            case .notRegistered:
                let sentence =
                    "node \(order.node) is not in the publisher's configuration, and no run of it "
                    + "is known"
                output.refuse(requester, .notRegistered, sentence)
            case .leased(let end, let isHeard):
                let left = end.elapsed(since: now)
                output.refuse(
                    requester, .leased, whyKept(order.node, left, isHeard: isHeard, now: now),
                    retryAfter: UInt32(clamping: left.wholeMilliseconds))
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
        let state = grants.state(of: node, at: now).map(\.description) ?? "unknown"
        return "node \(node) is \(state) and its grant lasts \(end) more: it may answer fresh. "
            + "Drain it first (martlet drain \(node)), or, if it is dead, ask again then"
    }

    /// Removes runs that ended without BYE after a time.
    mutating func dropSilentRuns(now: Instant) {
        count(grants.dropSilent(for: PublisherLimits.silenceMax, now: now), .silent)
    }

    /// Counts removed runs.
    mutating func count(_ runCount: Int, _ cause: RunRemovalCause) {
        if runCount > 0 { output.statistics.runsRemoved[cause, default: 0] += UInt64(runCount) }
    }
}
