import CacheInvalidation
package import CacheModel
import CacheWire

/// Whose life of a node was the last, kept beside the log before another one is granted a lease.
///
///     PING of a new run ──▶ LifeBook ──▶ keepLives ──▶ livesKept ──▶ PONG, with the lease
///
/// What the disk says must never be older than the truth, whenever this process ends. So a new run
/// waits for its first lease until the disk names it, or names nobody: docs/decisions/0034.
extension PublisherMind {
    /// How the book of lives is kept beside the log.
    struct LifeKeeping {
        /// A PING whose lease waits.
        struct Waiting {
            let asker: Asker
            let ping: Ping
            let run: NodeRun
        }

        /// The newest change of the book that is where it is to be kept; `nil` before any is.
        var keptThrough: UInt64?
        /// Whether nothing is kept at all, so that nobody can be misled.
        var isGone = false
        /// Which change is on its way; `nil` if none is.
        var underWay: UInt64?
        /// Not before this moment, after one that failed.
        var notBefore: Instant?
        /// By run, its newest PING.
        var waiting: [Incarnation: Waiting] = [:]
    }

    /// Whether a run may be granted a lease as far as the book is concerned. If not, the PING is
    /// answered once it may.
    mutating func isLifeNoted(
        _ run: NodeRun, _ ping: Ping, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) -> Bool {
        lives.note(run) { [grants] in grants.isRegistered($0) }
        if mayBeGranted(run) { return true }
        let waiting = LifeKeeping.Waiting(asker: asker, ping: ping, run: run)
        // The earlier one gets its word now, lest a slow disk look like a publisher that is gone.
        if let earlier = lifeKeeping.waiting.updateValue(waiting, forKey: run.incarnation) {
            answer(earlier.ping, isGranted: false, to: earlier.asker, into: &actions)
        }
        keepLives(now: now, into: &actions)
        return false
    }

    private func mayBeGranted(_ run: NodeRun) -> Bool {
        guard log.outlivesItsProcess else { return true }
        guard let change = lives.change(noting: run) else { return false }
        return isKept(change)
    }

    /// Whether no book that is read later is older than this change.
    func isKept(_ change: UInt64) -> Bool {
        lifeKeeping.isGone || lifeKeeping.keptThrough.map { change <= $0 } ?? false
    }

    /// Notes which runs can hold no lease any more: a later publisher does not wait for those. Of a
    /// node that may hold a grant of an earlier publisher nothing is noted.
    mutating func settleLives(now: Instant) {
        guard log.outlivesItsProcess else { return }
        var granted = grants.grantedRuns(at: now)
        // Those that will be granted once it is kept that they are.
        for waiting in lifeKeeping.waiting.values {
            granted[waiting.run.node, default: []].append(waiting.run)
        }
        lives.settle(granted) { [grants] in !grants.hasGrant(.unheard($0), at: now) }
    }

    /// Nothing is to be said of the node's earlier lives any more.
    mutating func forgetLives(of node: NodeID) { lives.forget(node) }

    // MARK: Keeping

    /// Has the book kept if it has changed.
    mutating func keepLives(now: Instant, into actions: inout [PublisherAction]) {
        guard let due = livesKeepingDue, due <= now else { return }
        // From here on the disk may say what it is told now, or what it said before.
        lifeKeeping.isGone = false
        lifeKeeping.underWay = lives.changes
        actions.append(.keepLives(lives.stored(for: log.id, in: log.head.position.epoch)))
    }

    /// When the book is to be kept again; `nil` while it is, and if there is nothing new.
    var livesKeepingDue: Instant? {
        guard log.outlivesItsProcess, log.hasHistory, lifeKeeping.underWay == nil,
            lives.changes > lifeKeeping.keptThrough ?? 0
        else { return nil }
        return max(lifeKeeping.notBefore ?? turnEndedAt, turnEndedAt)
    }

    /// The book is kept, or could not be.
    ///
    /// - Parameters:
    ///   - trouble: why not, in words for people.
    ///   - isGone: whether nothing is kept now. If the book could neither be kept nor removed,
    ///     whoever reads it later may be misled, and new runs wait.
    package mutating func livesKept(
        _ trouble: String?, isGone: Bool, now: Instant, into actions: inout [PublisherAction]
    ) {
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
            grantLate(waiting, now: now, into: &actions)
        }
    }

    /// Answers a PING that had to wait, as of now; one of a run that left meanwhile never.
    private mutating func grantLate(
        _ waiting: LifeKeeping.Waiting, now: Instant, into actions: inout [PublisherAction]
    ) {
        guard isStanding, let run = grants.run(of: waiting.run.incarnation) else { return }
        let isOurs = log.standing(of: waiting.ping.applied) == .ofTheLog
        let isGranted = grant(run, isOfTheLog: isOurs, now: now)
        answer(waiting.ping, isGranted: isGranted, to: waiting.asker, into: &actions)
    }

    /// What is to be kept at the end, in place of what was; `nil` if that is known.
    package var livesToKeep: [UInt8]? {
        guard log.outlivesItsProcess, log.hasHistory,
            lifeKeeping.underWay != nil || lives.changes > lifeKeeping.keptThrough ?? 0
        else { return nil }
        return lives.stored(for: log.id, in: log.head.position.epoch)
    }

    /// Goes on with what an earlier publisher of this log kept.
    ///
    /// - Parameter kept: `nil` if nothing is there.
    /// - Returns: `false` if the bytes are damaged, and nothing is known.
    package mutating func resumeLives(_ kept: [UInt8]?) -> Bool {
        guard let kept, let (book, id, epoch) = kept.withUnsafeBytes({ LifeBook.read($0) }) else {
            // A log that was begun had a publisher, with records or without, and so has a damaged
            // book: any run may have been granted.
            if log.outlivesItsProcess, log.hasHistory || kept != nil {
                suspectRuns(of: plan.nodes.map(\.id))
            }
            return kept == nil
        }
        lives = book
        // Of another log or epoch: set back with the log, a copy, or of one that had to begin anew.
        // With a new epoch every node begins anew, too.
        guard log.hasHistory, id == log.id, epoch == log.head.position.epoch else {
            distrustLives()
            suspectRuns(of: plan.nodes.map(\.id))
            return true
        }
        // Its runs may hold a lease, whatever became of the configuration since.
        for (node, lives) in book.nodes {
            if let heir = lives.heir { grants.inherit(heir, of: node) }
        }
        lifeKeeping.keptThrough = 0
        membership.resumed(book.members)
        return true
    }

    /// The book of an earlier publisher was set back, perhaps, together with the log. That no run
    /// holds a lease, or no other, it says of its own time, and it knows nothing of later grants.
    mutating func distrustLives() {
        for node in lives.forgetInherited() { grants.inherit(.some, of: node) }
    }

    /// Any run of these nodes may hold a grant of an earlier publisher. The next one has to know
    /// that, too.
    private mutating func suspectRuns(of nodes: [NodeID]) {
        for node in nodes {
            grants.inherit(.some, of: node)
            lives.suspect(node) { [grants] in grants.isRegistered($0) }
        }
    }
}

extension LifeBook.Lives {
    /// Which run a later publisher has to wait for.
    fileprivate var heir: GrantTable.Heir? {
        switch holders {
        case .several: .some
        case .newest: runs.first.map { .run($0) } ?? .some
        case .none: nil
        }
    }
}
