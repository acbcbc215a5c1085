package import CacheInvalidation
package import CacheModel
import CacheWire

/// Where the log stands when its records are lost, and what happens when a node knows better.
/// docs/decisions/0004 gives the reasons.
extension PublisherMind {
    /// Whether nobody can have built on what this publisher believes about a log it did not keep.
    private var mayContinueAnother: Bool {
        isHistoryBorrowed && !hasAppended && appending == nil
    }

    /// Decides where a log without a history stands, once every registered node was heard or had
    /// the time to greet: where the most advanced node stands, or at the beginning of a new log if
    /// no node knows one.
    mutating func decideHistory(now: Instant) {
        guard !log.hasHistory || identity.isOpen,
            grants.isEveryNodeHeard || grants.greetingsEnd <= now
                || !plan.guards.isOn(.restartWait)
        else { return }
        // Whoever has asked before was told of none, and asks again.
        if identity.decide(among: grants.isRegistered) { topologyVersion &+= 1 }
        guard !log.hasHistory else { return }
        let furthest = identity.furthestPlace
        if let told = furthest, log.outlivesItsProcess {
            // Records that were to survive have not, and nobody knows all that they said. What goes
            // on is another log: some node may know an epoch of the lost one that nobody has told.
            beginOwnLog(in: max(told.mark.position.epoch, identity.kept?.epoch ?? .none).next)
            statistics.epochsOpened += 1
        } else if let told = furthest {
            continueHistory(of: told.log, from: told.mark)
        } else {
            beginOwnLog(in: (identity.kept?.epoch ?? .none).next)
        }
        for entry in grants.everyEntry {
            _ = hear(entry.run, entry.reported, of: entry.log, now: now)
        }
        identity.forgetPlaces()
        nextHeartbeat = now
    }

    /// Which cluster this is, or what it is called if nobody knows. To be told before anything
    /// comes in; a publisher that is not told has a cluster without an identity.
    ///
    /// - Parameters:
    ///   - kept: by an earlier publisher; `nil` where nothing is.
    ///   - fresh: drawn at random, for a cluster whose nodes tell none.
    package mutating func setCluster(kept: KeptCluster?, fresh: ClusterID) {
        identity = ClusterIdentity(kept: kept, fresh: fresh)
    }

    /// Has kept beside the log which cluster this is, and in which epoch its log is.
    mutating func keepCluster(now: Instant, into actions: inout [PublisherAction]) {
        guard let due = clusterKeepingDue, due <= now, let cluster = clusterToKeep else { return }
        identity.keep(cluster)
        actions.append(.keepCluster(cluster))
    }

    /// When the identity is to be kept; `nil` while it is, and if it is on its way.
    var clusterKeepingDue: Instant? {
        guard identity.keeping == nil, clusterToKeep != nil else { return nil }
        return max(identity.keepsNotBefore ?? turnEndedAt, turnEndedAt)
    }

    /// What is to be kept of the identity, also at the end; `nil` if nothing is. An epoch that has
    /// not begun on the disk may never do so.
    package var clusterToKeep: KeptCluster? {
        guard log.outlivesItsProcess, isStanding else { return nil }
        return identity.unkept(in: log.head.position.epoch)
    }

    /// The identity is kept, or could not be: then it is tried again.
    package mutating func clusterKept(_ isKept: Bool, now: Instant) {
        let next = now.advanced(by: PublisherLimits.livesRetry)
        identity.keepingEnded(retryAt: isKept ? nil : next)
    }

    private mutating func beginOwnLog(in epoch: Epoch) {
        let start = LogPosition(epoch: epoch, sequence: .none)
        log.continueHistory(
            of: freshID, from: LogMark(position: start, digest: LogDigest(startOf: freshID)))
        restartFloors(isCertain: true)
    }

    /// Notes a mark that may become the log's place.
    private mutating func remember(_ mark: LogMark, of log: LogID, from node: NodeID) {
        guard log != .none, mark.position.epoch != .none,
            plan.guards.isOn(.continuedHistory)
        else { return }
        identity.heard(mark, of: log, from: node)
    }

    private mutating func continueHistory(of id: LogID, from mark: LogMark) {
        log.continueHistory(of: id, from: mark)
        // Another node may stand further, under records that nobody has any more.
        restartFloors(isCertain: false)
        statistics.historiesContinued += 1
    }

    /// Whether a mark can be believed at all. A wild epoch would use up all there are, and behind
    /// the last number of an epoch no log could go on.
    func isBelievable(_ mark: LogMark) -> Bool {
        mark.position.epoch <= max(InvalidationLimits.epochReportedMax, log.head.position.epoch)
            && (mark.position.sequence < .max || mark.position <= log.head.position)
    }

    /// A run says where it stands: notes it, and what follows for the log and for receipts.
    ///
    /// - Parameter claimed: of which log; `nil` for the one it named when it introduced itself.
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
        if isOurs { receipts.applied(run, upTo: mark.position, now: now) }
        return isOurs
    }

    /// Compares a registered node's mark with the log. A node that is ahead of it, or unlike it,
    /// proves that the log lost records: see ``repairHistory(of:from:mark:ahead:now:)``.
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
            // Another log that lies behind this one: TRUNCATED moves its node forward, and nobody
            // else has ever built on it.
            return false
        case .ahead, .unlike:
            return repairHistory(
                of: claimed, from: node, mark: mark, ahead: standing == .ahead, now: now)
        }
    }

    /// Goes on where the node stands while nothing was appended since a start without records;
    /// afterwards opens an epoch greater than every one ever reported. Either hides everything on
    /// every other node, so both are bounded in number.
    ///
    /// - Returns: whether the mark is the log's now.
    private mutating func repairHistory(
        of claimed: LogID, from node: NodeID, mark: LogMark, ahead: Bool, now: Instant
    ) -> Bool {
        nextHeartbeat = now
        let continues =
            ahead && mayContinueAnother && claimed != .none && identity.mayFollow(node)
        let greatest = max(log.head.position.epoch, mark.position.epoch)
        // Until the log moves the node gets no lease, as if it had not been heard.
        guard continues || greatest.rawValue < .max && plan.guards.isOn(.newEpoch),
            epochsOnWord.take(now: now)
        else { return false }
        if continues {
            continueHistory(of: claimed, from: mark)
            if identity.follow(node) { topologyVersion &+= 1 }
        } else {
            openEpoch(greatest.next)
        }
        return continues
    }

    /// Takes over which operations the log's newest records did, so that one that is repeated
    /// across a restart is answered with its first position.
    mutating func recallOperations() {
        guard log.hasHistory else { return }
        let head = log.head.position.sequence
        let recalled = UInt64(InvalidationLimits.operationsRecalledMax)
        let oldest = head.rawValue > recalled ? head.rawValue - recalled : 0
        var after = SequenceNumber(max(oldest, log.tail.rawValue - 1))
        while after < head {
            guard let records = log.read(after: after, limit: WireLimits.replayRecordsMax),
                let last = records.last
            else {
                // Where something was found damaged, the newer ones are still there.
                let oldest = SequenceNumber(log.tail.rawValue - 1)
                guard oldest > after else { return }
                after = oldest
                continue
            }
            for sealed in records {
                operations.remember(OperationImprint(sealed.record), at: sealed.position)
            }
            after = last.position.sequence
        }
    }
}
