import CacheInvalidation
package import CacheModel
import CacheWire

/// The storage of the last runs of each node.
extension PublishingCore {
    /// Whether the table of runs allows a lease for this run. If not, the PING is answered once it
    /// does.
    mutating func isStored(_ run: NodeRun, _ ping: Ping, of message: IncomingMessage) -> Bool {
        if nodes.insert(run) { return true }
        let waiting = StoredRuns.Waiting(
            requester: message.requester, ping: ping, run: run, arrivedAt: message.arrivedAt)
        if let earlier = nodes.runs.delay(waiting) {
            answer(earlier.ping, isGranted: false, to: earlier.requester)
        }
        storeRuns(now: message.now)
        return false
    }

    /// Requests to store the table if it has changed.
    mutating func storeRuns(now: Instant) {
        guard let table = nodes.runs.takeUnstored(for: log, now: now, turnEndedAt: turnEndedAt)
        else {
            return
        }
        output.actions.append(.keepLives(table))
    }

    /// The table was stored, or could not be.
    ///
    /// - Parameters:
    ///   - trouble: the reason of a failure, as text for people.
    ///   - isGone: whether no table is stored now. If the table could neither be stored nor
    ///     removed, a later publisher may be misled, and new runs wait.
    package mutating func livesKept(
        _ trouble: String?, isGone: Bool, now: Instant, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        guard nodes.runs.stored(isFailed: trouble != nil, isGone: isGone, now: now) else { return }
        for run in nodes.runs.waitingRuns {
            let isKnown = nodes.grants.run(of: run) != nil
            guard let ready = nodes.runs.takeReady(run, isKnown: isKnown) else { continue }
            grantLate(ready, now: now)
        }
    }

    /// Answers a PING that had to wait, as of now; not if its run has left meanwhile.
    private mutating func grantLate(_ waiting: StoredRuns.Waiting, now: Instant) {
        guard log.isStanding, let run = nodes.grants.run(of: waiting.run.incarnation) else {
            return
        }
        let isOurs = log.standing(of: waiting.ping.applied) == .ofTheLog
        let mayHold = isOurs && ownership.mayLease(run, plan, nodes, now: now)
        let isGranted = grant(run, mayHold: mayHold, askedAt: waiting.arrivedAt, now: now)
        answer(waiting.ping, isGranted: isGranted, to: waiting.requester)
    }

    /// The table to store at the end in place of the previous one; `nil` if it is stored.
    package var livesToKeep: [UInt8]? { nodes.runs.unstored(for: log) }

    /// Continues with the table that an earlier publisher of this log stored.
    ///
    /// - Parameter kept: `nil` if there is none.
    /// - Returns: `false` if the bytes are damaged, and nothing is known.
    package mutating func resumeLives(_ kept: [UInt8]?) -> Bool {
        let known = nodes.resume(kept, plan, log: log)
        ownership.resumed(known, nodes.runs.table.members)
        return known.isReadable
    }
}
