package import CacheInvalidation
package import CacheModel
import CacheWire

/// Where the log continues after its records are lost, and how a node's report corrects that.
/// docs/decisions/0004 gives the reasons.
extension PublisherMind {
    /// Whether this publisher may still continue another node's log: its own is in memory and has
    /// no appended record, so no node has built on it.
    private var mayContinueAnother: Bool {
        isHistoryBorrowed && !appender.hasAppended && !appender.isAppending
    }

    /// Decides where a log without a history continues, once every registered node has reported or
    /// had the time to do so. A log in memory continues at the mark of the most advanced node. A
    /// log that lost its records on disk begins anew in a later epoch, and so does a log that no
    /// node knows.
    mutating func decideHistory(now: Instant) {
        guard !log.hasHistory || identity.isOpen,
            grants.isEveryNodeHeard || grants.greetingsEnd <= now
                || !plan.guards.isOn(.restartWait)
        else { return }
        // A client that asked before got no identity, and asks again.
        if identity.decide(among: grants.isRegistered) { topology.advance() }
        guard !log.hasHistory else { return }
        let furthest = identity.furthestPlace
        if let told = furthest, log.outlivesItsProcess {
            // The records on disk are lost, and no node has all of them. The log begins anew as
            // another log: some node may know an epoch of the lost one that no report has named.
            beginOwnLog(in: max(told.mark.position.epoch, identity.kept?.epoch ?? .none).next)
            output.statistics.epochsOpened += 1
        } else if let told = furthest {
            continueHistory(of: told.log, from: told.mark)
        } else {
            beginOwnLog(in: (identity.kept?.epoch ?? .none).next)
        }
        for entry in grants.everyEntry {
            _ = hear(entry.run, entry.reported, of: entry.log, now: now)
        }
        identity.forgetPlaces()
        heartbeat.requestNow(now)
    }

    /// Sets the cluster's stored identity, and the one to use if no node knows any. Call it before
    /// any message is passed in; without the call the cluster has no identity.
    ///
    /// - Parameters:
    ///   - kept: stored by an earlier publisher; `nil` if there is none.
    ///   - fresh: drawn at random, for a cluster without an identity on its nodes.
    package mutating func setCluster(kept: KeptCluster?, fresh: ClusterID) {
        identity = ClusterIdentity(kept: kept, fresh: fresh)
    }

    /// Requests to store the identity of the cluster, with the epoch of the log, beside the log.
    mutating func keepCluster(now: Instant) {
        guard let due = clusterKeepingDue, due <= now, let cluster = clusterToKeep else { return }
        identity.keep(cluster)
        output.actions.append(.keepCluster(cluster))
    }

    /// When the identity has to be stored; `nil` if it is stored or being stored.
    var clusterKeepingDue: Instant? {
        guard identity.keeping == nil, clusterToKeep != nil else { return nil }
        return max(identity.keepsNotBefore ?? turnEndedAt, turnEndedAt)
    }

    /// The identity to store, also at the end; `nil` if it is stored. An epoch that is not yet
    /// durable may never become so.
    package var clusterToKeep: KeptCluster? {
        guard log.outlivesItsProcess, log.isStanding else { return nil }
        return identity.unkept(in: log.head.position.epoch)
    }

    /// The identity was stored, or could not be: then it is retried.
    package mutating func clusterKept(_ isKept: Bool, now: Instant) {
        let next = now.advanced(by: PublisherLimits.livesRetry)
        identity.keepingEnded(retryAt: isKept ? nil : next)
    }

    private mutating func beginOwnLog(in epoch: Epoch) {
        let start = LogPosition(epoch: epoch, sequence: .none)
        log.continueHistory(
            of: freshID, from: LogMark(position: start, digest: LogDigest(startOf: freshID)))
        floorServer.restart(at: log, isCertain: true)
    }

    /// Records a mark where the log may continue.
    private mutating func remember(_ mark: LogMark, of log: LogID, from node: NodeID) {
        guard log != .none, mark.position.epoch != .none,
            plan.guards.isOn(.continuedHistory)
        else { return }
        identity.heard(mark, of: log, from: node)
    }

    private mutating func continueHistory(of id: LogID, from mark: LogMark) {
        log.continueHistory(of: id, from: mark)
        // Another node may be further, with records that are lost.
        floorServer.restart(at: log, isCertain: false)
        output.statistics.historiesContinued += 1
    }

    /// Whether a mark is plausible. An arbitrary epoch would use up all epochs, and no log can
    /// continue after the last sequence number of an epoch.
    func isBelievable(_ mark: LogMark) -> Bool {
        mark.position.epoch <= max(InvalidationLimits.epochReportedMax, log.head.position.epoch)
            && (mark.position.sequence < .max || mark.position <= log.head.position)
    }

    /// A run reports its mark: records it, and applies its consequences for the log and for
    /// receipts.
    ///
    /// - Parameter claimed: the log of the mark; `nil` for the one in the run's HELLO.
    /// - Returns: whether the mark is the log's.
    mutating func hear(
        _ run: NodeRun, _ mark: LogMark, of claimed: LogID? = nil, state: NodeState? = nil,
        now: Instant
    ) -> Bool {
        let known = claimed ?? grants.entry(of: run)?.log ?? .none
        if !log.hasHistory { remember(mark, of: known, from: run.node) }
        let isOurs = log.hasHistory && isOfTheLog(mark, of: known, from: run.node, now: now)
        grants.heard(
            run, reporting: mark, provenIn: isOurs ? log.id : nil, state: state, now: now)
        if isOurs { receipts.tracker.applied(run, upTo: mark.position, now: now) }
        return isOurs
    }

    /// Compares a registered node's mark with the log. A node that is ahead of it, or has a
    /// different digest, proves that the log lost records: see
    /// ``repairHistory(of:from:mark:ahead:now:)``.
    private mutating func isOfTheLog(
        _ mark: LogMark, of claimed: LogID, from node: NodeID, now: Instant
    ) -> Bool {
        let standing = log.standing(of: mark)
        switch standing {
        case .ofTheLog: return true
        case .unlike where !plan.guards.isOn(.markDigest): return true
        case .beforeTail, .olderEpoch: return false
        case .unlike
        where claimed != log.id && claimed != .none && mark.position < log.head.position:
            // Another log that is behind this one: TRUNCATED moves its node forward, and no other
            // node has built on it.
            return false
        case .ahead, .unlike:
            return repairHistory(
                of: claimed, from: node, mark: mark, ahead: standing == .ahead, now: now)
        }
    }

    /// Continues at the node's mark if nothing was appended since a start without records;
    /// otherwise opens an epoch greater than every reported one. Either hides everything on every
    /// other node, so both are bounded in number.
    ///
    /// - Returns: whether the mark is the log's now.
    private mutating func repairHistory(
        of claimed: LogID, from node: NodeID, mark: LogMark, ahead: Bool, now: Instant
    ) -> Bool {
        heartbeat.requestNow(now)
        let continues =
            ahead && mayContinueAnother && claimed != .none && identity.mayFollow(node)
        let greatest = max(log.head.position.epoch, mark.position.epoch)
        // Until the log moves the node gets no lease, as if it had not reported.
        guard continues || greatest.rawValue < .max && plan.guards.isOn(.newEpoch),
            epochsOnWord.take(now: now)
        else { return false }
        if continues {
            continueHistory(of: claimed, from: mark)
            if identity.follow(node) { topology.advance() }
        } else {
            openEpoch(greatest.next)
        }
        return continues
    }
}
