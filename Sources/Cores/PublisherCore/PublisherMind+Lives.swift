import CacheInvalidation
package import CacheModel
import CacheWire

/// The last runs of each node, stored beside the log before another run is granted a lease.
///
///     PING of a new run ──▶ LifeBook ──▶ keepLives ──▶ livesKept ──▶ PONG, with the lease
///
/// The stored table must never be outdated, whenever this process ends. So a new run waits for its
/// first lease until the stored table names it, or no table is stored: docs/decisions/0034.
extension PublisherMind {
    /// The state of storing the table of runs beside the log.
    struct LifeKeeping {
        /// A PING that waits for its lease.
        struct Waiting {
            let requester: Requester
            let ping: Ping
            let run: NodeRun
        }

        /// The newest change of the table that is stored; `nil` before any is.
        var keptThrough: UInt64?
        /// Whether nothing is stored at all, so that no later publisher can be misled.
        var isGone = false
        /// The change that is being stored; `nil` if none is.
        var underWay: UInt64?
        /// After a failure: the earliest moment of the next attempt.
        var notBefore: Instant?
        /// By run, its newest PING.
        var waiting: [Incarnation: Waiting] = [:]
    }

    /// Whether the table of runs allows a lease for this run. If not, the PING is answered once it
    /// does.
    mutating func isLifeNoted(
        _ run: NodeRun, _ ping: Ping, from requester: Requester, now: Instant
    ) -> Bool {
        lives.note(run) { [grants] in grants.isRegistered($0) }
        if mayBeGranted(run) { return true }
        let waiting = LifeKeeping.Waiting(requester: requester, ping: ping, run: run)
        // The earlier one is answered now, so that a slow disk does not look like a stopped
        // publisher.
        if let earlier = lifeKeeping.waiting.updateValue(waiting, forKey: run.incarnation) {
            answer(earlier.ping, isGranted: false, to: earlier.requester)
        }
        keepLives(now: now)
        return false
    }

    private func mayBeGranted(_ run: NodeRun) -> Bool {
        guard log.outlivesItsProcess else { return true }
        guard let change = lives.change(noting: run) else { return false }
        return isKept(change)
    }

    /// Whether no table that is read later is older than this change.
    func isKept(_ change: UInt64) -> Bool {
        lifeKeeping.isGone || lifeKeeping.keptThrough.map { change <= $0 } ?? false
    }

    /// Records which runs can no longer hold a lease: a later publisher does not wait for those.
    /// Nodes that may hold a grant of an earlier publisher are skipped.
    mutating func settleLives(now: Instant) {
        guard log.outlivesItsProcess else { return }
        var granted = grants.grantedRuns(at: now)
        // Waiting runs are granted their leases once that is stored.
        for waiting in lifeKeeping.waiting.values {
            granted[waiting.run.node, default: []].append(waiting.run)
        }
        lives.settle(granted) { [grants] in !grants.hasGrant(.unheard($0), at: now) }
    }

    /// Removes the recorded runs of the node.
    mutating func forgetLives(of node: NodeID) { lives.forget(node) }

    // MARK: Storing

    /// Requests to store the table if it has changed.
    mutating func keepLives(now: Instant) {
        guard let due = livesKeepingDue, due <= now else { return }
        // From here on the disk may hold this table or the previous one.
        lifeKeeping.isGone = false
        lifeKeeping.underWay = lives.changes
        output.actions.append(.keepLives(lives.stored(for: log.id, in: log.head.position.epoch)))
    }

    /// When the table must be stored again; `nil` while it is being stored, and if nothing is new.
    var livesKeepingDue: Instant? {
        guard log.outlivesItsProcess, log.hasHistory, lifeKeeping.underWay == nil,
            lives.changes > lifeKeeping.keptThrough ?? 0
        else { return nil }
        return max(lifeKeeping.notBefore ?? turnEndedAt, turnEndedAt)
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
        guard let change = lifeKeeping.underWay else { return }
        lifeKeeping.underWay = nil
        if trouble == nil {
            lifeKeeping.keptThrough = change
            lifeKeeping.notBefore = nil
        } else {
            lifeKeeping.isGone = isGone
            lifeKeeping.notBefore = now.advanced(by: PublisherLimits.livesRetry)
        }
        for run in lifeKeeping.waiting.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let waiting = lifeKeeping.waiting[run],
                grants.run(of: run) == nil || mayBeGranted(waiting.run)
            else { continue }
            lifeKeeping.waiting[run] = nil
            grantLate(waiting, now: now)
        }
    }

    /// Answers a PING that had to wait, as of now; not if its run has left meanwhile.
    private mutating func grantLate(
        _ waiting: LifeKeeping.Waiting, now: Instant
    ) {
        guard log.isStanding, let run = grants.run(of: waiting.run.incarnation) else { return }
        let isOurs = log.standing(of: waiting.ping.applied) == .ofTheLog
        let isGranted = grant(run, isOfTheLog: isOurs, now: now)
        answer(waiting.ping, isGranted: isGranted, to: waiting.requester)
    }

    /// The table to store at the end in place of the previous one; `nil` if it is stored.
    package var livesToKeep: [UInt8]? {
        guard log.outlivesItsProcess, log.hasHistory,
            lifeKeeping.underWay != nil || lives.changes > lifeKeeping.keptThrough ?? 0
        else { return nil }
        return lives.stored(for: log.id, in: log.head.position.epoch)
    }

    /// Continues with the table that an earlier publisher of this log stored.
    ///
    /// - Parameter kept: `nil` if there is none.
    /// - Returns: `false` if the bytes are damaged, and nothing is known.
    package mutating func resumeLives(_ kept: [UInt8]?) -> Bool {
        guard let kept, let (book, id, epoch) = kept.withUnsafeBytes({ LifeBook.read($0) }) else {
            // A log that was begun had a publisher, with records or without, and so did a damaged
            // table: any run may have been granted a lease.
            if log.outlivesItsProcess, log.hasHistory || kept != nil {
                suspectRuns(of: plan.nodes.map(\.id))
            }
            return kept == nil
        }
        lives = book
        // Of another log or epoch: restored with an old copy of the log, copied, or of a log that
        // had to begin anew. With a new epoch every node begins anew, too.
        guard log.hasHistory, id == log.id, epoch == log.head.position.epoch else {
            distrustLives()
            suspectRuns(of: plan.nodes.map(\.id))
            return true
        }
        // Its runs may hold a lease, whatever has changed in the configuration since.
        for (node, lives) in book.nodes {
            if let heir = lives.heir { grants.inherit(heir, of: node) }
        }
        lifeKeeping.keptThrough = 0
        membership.resumed(book.members)
        return true
    }

    /// The earlier publisher's table may have been set back together with the log. It names the
    /// runs that held no lease in its own time, and contains no later grants.
    mutating func distrustLives() {
        for node in lives.forgetInherited() { grants.inherit(.some, of: node) }
    }

    /// Any run of these nodes may hold a grant of an earlier publisher. The next publisher must
    /// know that, too.
    private mutating func suspectRuns(of nodes: [NodeID]) {
        for node in nodes {
            grants.inherit(.some, of: node)
            lives.suspect(node) { [grants] in grants.isRegistered($0) }
        }
    }
}

extension LifeBook.Lives {
    /// The run that a later publisher must wait for.
    fileprivate var heir: GrantTable.Heir? {
        switch holders {
        case .several: .some
        case .newest: runs.first.map { .run($0) } ?? .some
        case .none: nil
        }
    }
}
