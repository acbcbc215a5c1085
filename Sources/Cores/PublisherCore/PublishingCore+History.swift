package import CacheInvalidation
package import CacheModel

/// Carries out what ``LogHistory`` decides, and the consequences of nodes' reports.
extension PublishingCore {
    /// Begins or continues a log without a history, once every registered node has reported or had
    /// the time to do so.
    mutating func decideHistory(now: Instant) {
        guard !log.hasHistory || history.identity.isOpen,
            nodes.grants.isEveryNodeHeard || nodes.grants.greetingsEnd <= now
                || !plan.guards.isOn(.restartWait)
        else { return }
        // A client that asked before got no identity, and asks again.
        if history.identity.decide(among: nodes.grants.isRegistered) { topology.advance() }
        guard !log.hasHistory else { return }
        let start = history.start(isDurable: log.outlivesItsProcess)
        if start.isLost {
            // Nothing names the runs that the lost log's publishers granted leases. Of a log that
            // this publisher has alone, none but those that greeted is assumed: to wait for others
            // would keep a sharded cluster busy for a minute, since their lease is unknown.
            if log.isShared { nodes.distrustStored(plan) }
            history.beginsBehindLost()
            output.statistics.epochsOpened += 1
        }
        continueHistory(at: start)
        for entry in nodes.grants.everyEntry {
            _ = hear(entry.run, entry.reported, of: entry.log, now: now)
        }
        history.identity.forgetPlaces()
        heartbeat.requestNow(now)
    }

    private mutating func continueHistory(at start: LogHistory.Start) {
        log.continueHistory(of: start.log, from: start.mark)
        // If it is continued, another node may be further, with records that are lost.
        floorServer.restart(at: log, isCertain: !start.isContinued)
        if start.isContinued { output.statistics.historiesContinued += 1 }
    }

    /// Sets the cluster's stored identity, and the one to use if no node knows any. Call it before
    /// any message is passed in; without the call the cluster has no identity.
    ///
    /// - Parameters:
    ///   - kept: stored by an earlier publisher; `nil` if there is none.
    ///   - fresh: drawn at random, for a cluster without an identity on its nodes.
    package mutating func setCluster(kept: KeptCluster?, fresh: ClusterID) {
        history.identity = ClusterIdentity(kept: kept, fresh: fresh)
    }

    /// The identity to store, also at the end; `nil` if it is stored.
    package var clusterToKeep: KeptCluster? { history.unstored(in: log) }

    /// The identity was stored, or could not be: then it is retried.
    package mutating func clusterKept(_ isKept: Bool, now: Instant) {
        let next = now.advanced(by: PublisherLimits.livesRetry)
        history.identity.keepingEnded(retryAt: isKept ? nil : next)
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
        let known = claimed ?? nodes.grants.entry(of: run)?.log ?? .none
        let report = LogHistory.Report(node: run.node, mark: mark, log: known)
        if !log.hasHistory { history.remember(report, guards: plan.guards) }
        let isOurs = log.hasHistory && isOfTheLog(report, now: now)
        nodes.grants.heard(
            run, reporting: mark, provenIn: isOurs ? log.id : nil, state: state, now: now)
        if isOurs { receipts.tracker.applied(run, upTo: mark.position, now: now) }
        return isOurs
    }

    /// - Returns: whether the mark is the log's, or has become so.
    private mutating func isOfTheLog(_ report: LogHistory.Report, now: Instant) -> Bool {
        let verdict = history.judge(
            report, in: log, isUnwritten: !appender.hasAppended && !appender.isAppending,
            guards: plan.guards, now: now)
        switch verdict {
        case .ofTheLog: return true
        case .another: return false
        case .contradiction, .follow, .newEpoch: heartbeat.requestNow(now)
        }
        if case .newEpoch(let epoch) = verdict { openEpoch(epoch) }
        guard verdict == .follow else { return false }
        continueHistory(
            at: LogHistory.Start(log: report.log, mark: report.mark, isContinued: true))
        if history.identity.follow(report.node) { topology.advance() }
        return true
    }

    /// Opens a new epoch. Records that were being written in the old one were sent to no node, so
    /// their requests are queued again and numbered anew.
    mutating func openEpoch(_ epoch: Epoch) {
        log.open(epoch)
        nodes.distrustStored(plan)
        ownership.begun(epoch)
        floorServer.restart(at: log, isCertain: true)
        output.statistics.epochsOpened += 1
        appender.requeueUnderWay(isUncertain: log.isShared, shares: &admission.shares)
    }
}
